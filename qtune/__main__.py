"""Entry point: looks at the first word and opens the guard, the bundled engine, the terminal or the window."""

from __future__ import annotations

import sys

GUI_OPTIONS = {"--base-dir": 1, "--language": 1, "--theme": 1}
"""Options of the window with the number of words each takes; anything else belongs to the terminal."""


def main(argv: list[str] | None = None) -> int:
    """Run what the arguments ask for; returns the exit code. Qt is imported for the window only."""
    words = sys.argv[1:] if argv is None else argv
    if words[:1] == ["--guard"]:
        from qtune.host.guard import main as guard  # noqa: PLC0415 - each role loads only what it needs

        return guard(words[1:])
    if words[:1] == ["--bundled-engine"]:
        from qtune.engine.bundled import main as bundled_engine  # noqa: PLC0415

        return bundled_engine(words[1:])
    if opens_window(words):
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
