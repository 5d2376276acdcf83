"""Entry point: the first word decides between guard, bundled engine, terminal and window."""

from __future__ import annotations

import os
import sys

GUI_OPTIONS = {"--base-dir": 1, "--language": 1, "--theme": 1, "--safe-mode": 0}
"""Options of the window with the number of words each takes; anything else belongs to the terminal."""


INTERRUPTED = 130


def main(argv: list[str] | None = None) -> int:
    """Run what the arguments ask for; returns the exit code. Qt is imported for the window only."""
    try:
        return _run(sys.argv[1:] if argv is None else argv)
    except KeyboardInterrupt:  # while modules were read, before the command itself could take it
        return INTERRUPTED


def _run(words: list[str]) -> int:
    if words[:1] == ["--guard"]:
        from qtune.host.guard import main as guard  # noqa: PLC0415 - each role loads only what it needs

        return guard(words[1:])
    if words[:1] == ["--bundled-engine"]:
        from qtune.engine.bundled import main as bundled_engine  # noqa: PLC0415

        return bundled_engine(words[1:])
    if opens_window(words):
        # Before anything loads Qt, whose plug-ins end the process when a library of the system is missing.
        from qtune.host.display import display_problem  # noqa: PLC0415

        problem = display_problem(os.environ)
        if problem is not None:
            print(f"{problem.sentence()} {problem.hint()}", file=sys.stderr)  # noqa: T201 - there is no window
            return 1
        from qtune.app import main as window  # noqa: PLC0415

        return window(words)
    from qtune.cli.main import main as terminal  # noqa: PLC0415

    return terminal(words)


def opens_window(words: list[str]) -> bool:
    """Whether the arguments hold nothing but options of the window."""
    rest = list(words)
    while rest:
        name, sep, _ = rest[0].partition("=")
        if name not in GUI_OPTIONS:
            return False
        del rest[: 1 if sep else 1 + GUI_OPTIONS[name]]
    return True


if __name__ == "__main__":
    sys.exit(main())
