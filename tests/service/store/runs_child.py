"""A qtune that stores many short runs, beside another one that does the same."""

from __future__ import annotations

import sys
from pathlib import Path

import made

from qtune.core.records import RunStatus
from qtune.store.history import open_history


def main() -> int:
    database, name, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    with open_history(database, database.parent / "backups") as history:
        writer = history.writer
        writer.add_experiment(made.experiment(name)).result()
        for number in range(count):
            run = f"{name}-{number}"
            writer.add_run(made.bare_run(run, name, RunStatus.DONE)).result()
            writer.add_request(made.full_request(run)).result()
        return writer.pending


if __name__ == "__main__":
    sys.exit(main())
