"""How this program starts itself again: as the guard of an engine or as the bundled engine."""

from __future__ import annotations

import sys
from pathlib import Path

# The folder of the package goes first in sys.path, and -P keeps the working directory out of it: exactly the
# code that is running now is started, installed or not, from whatever folder.
_FROM_SOURCE = (
    "import sys; sys.path.insert(0, sys.argv.pop(1)); from qtune.__main__ import main; sys.exit(main())"
)


def is_frozen() -> bool:
    """Whether this is a built bundle, in which ``sys.executable`` is the app and not an interpreter."""
    return bool(getattr(sys, "frozen", False))


def self_command(*args: str) -> list[str]:
    """Command line that starts this program with these arguments, independent of the working directory."""
    if is_frozen():
        return [sys.executable, *args]
    return [sys.executable, "-P", "-c", _FROM_SOURCE, str(Path(__file__).resolve().parents[2]), *args]
