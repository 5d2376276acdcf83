"""Another program that has the whole history to itself until it is told to let go."""

from __future__ import annotations

import sqlite3
import sys
from contextlib import closing


def main() -> int:
    with closing(sqlite3.connect(sys.argv[1], isolation_level=None)) as raw:
        raw.execute("BEGIN EXCLUSIVE")
        sys.stdout.write("locked\n")
        sys.stdout.flush()
        sys.stdin.readline()
        raw.execute("ROLLBACK")
    return 0


if __name__ == "__main__":
    sys.exit(main())
