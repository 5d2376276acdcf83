"""A qtune that only writes: says each request that is acknowledged, until it is done or killed."""

from __future__ import annotations

import sys
from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from pathlib import Path

import made

from qtune.core.records import RunStatus
from qtune.store import sqlite, waiting
from qtune.store.history import open_history


def main() -> int:
    database, run_id, count, burst = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    if "hasty" in sys.argv:
        sqlite._BUSY_MS, waiting._PATIENCE_S = 100, 0.2
    with open_history(database, database.parent / "backups") as history:
        write = history.writer
        write.add_experiment(made.experiment(f"e-{run_id}")).result()
        write.add_run(made.bare_run(run_id, f"e-{run_id}")).result()
        say("running")
        sys.stdin.readline()
        index = 0
        while index < count:
            # Bursts are in flight when the end comes; each is said from the writer's thread once committed.
            for _ in range(burst):
                future = write.add_request(replace(made.full_request(run_id), index=index))
                future.add_done_callback(partial(say_outcome, index))
                index += 1
            future.result()
        write.update_run(replace(made.bare_run(run_id, f"e-{run_id}"), status=RunStatus.DONE)).result()
    return 0


def say_outcome(index: int, done: Future[None]) -> None:
    error = done.exception()
    say(index if error is None else f"failed {error}")


def say(words: object) -> None:
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
