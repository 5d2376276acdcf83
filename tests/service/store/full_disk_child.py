"""A qtune whose disk is full: no file may grow beyond the size given, and it says what the history says."""

from __future__ import annotations

import resource
import sys
from pathlib import Path

import made

from qtune.core.errors import KnownError
from qtune.store import waiting
from qtune.store.history import open_history


def main() -> int:
    database, limit = Path(sys.argv[1]), int(sys.argv[2])
    waiting._PATIENCE_S = 0.2
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
    try:
        with open_history(database, database.parent / "backups") as history:
            history.writer.add_experiment(made.experiment()).result()
            history.writer.add_run(made.full_run()).result()
            acknowledged = 0
            try:
                while True:
                    history.writer.add_request(made.full_request(index=acknowledged)).result()
                    acknowledged += 1
            except KnownError as error:
                say(error.code, acknowledged, history.writer.pending)
    except KnownError as error:
        say(error.code)
    return 0


def say(*words: object) -> None:
    sys.stdout.write(" ".join(map(str, words)) + "\n")


if __name__ == "__main__":
    sys.exit(main())
