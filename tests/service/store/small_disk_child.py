"""A qtune on a disk that another program fills up and later frees; says what the history says."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import made

from qtune.core.errors import KnownError
from qtune.store import waiting
from qtune.store.history import open_history

WAIT_S = 120


def main() -> int:
    disk = Path(sys.argv[1])
    waiting._PATIENCE_S = 0.2
    with open_history(disk / "qtune.db", disk / "backups") as history:
        codes: list[str] = []
        history.writer.watch(lambda message: codes.append(message.code))
        history.writer.add_experiment(made.experiment()).result()
        history.writer.add_run(made.full_run()).result()
        ballast = disk / "ballast"
        fill(ballast)
        refused = False
        count = 0
        while not refused and count < 2000:
            error = history.writer.add_request(made.full_request(index=count)).exception(WAIT_S)
            refused = isinstance(error, KnownError) and error.code == "history_not_writable"
            count += 1
        held_up = history.writer.pending
        ballast.unlink()
        end = time.monotonic() + WAIT_S
        while history.writer.pending and time.monotonic() < end:
            time.sleep(0.01)
        stored = len(history.reader.requests("r1"))
    beside = [path.name for path in disk.iterdir()]
    say(f"refused={refused}", f"waited={held_up > 0}", f"all={stored == count}", *codes, *beside)
    return 0


def fill(ballast: Path) -> None:
    with ballast.open("wb", buffering=0) as file:
        try:
            while file.write(bytes(4096)):
                pass
        except OSError:
            return


def say(*words: object) -> None:
    sys.stdout.write(" ".join(map(str, words)) + "\n")


if __name__ == "__main__":
    sys.exit(main())
