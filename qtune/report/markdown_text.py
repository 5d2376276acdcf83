"""Text put into Markdown so that it shows as it is: no markup, no HTML, no links, no mentions."""

from __future__ import annotations

import re
from collections.abc import Sequence

_ACTIVE = re.compile(r"[\\`*_{}\[\]#!|~$^]")
_HTML = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_LINK = re.compile(r":(?=//|[\w+-]+:)|(?<=www)\.", re.IGNORECASE)
"""What makes an address or a picture of plain text: ``://``, ``:name:``, ``www.``."""
_NAMED = re.compile(r"(?<=[@#])(?=\w)")
"""Between the sign and a name or number that a forum would link to."""
_BEGINNING = re.compile(r"[-+=](?=[-+=\s]|$)|\d+(?=[.)](?:\s|$))")
_JOINER = "\u2060"


def escaped(text: str) -> str:
    """``text`` as one line of Markdown; figures and plain words stay as they are."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    line = re.sub("[&<>]", lambda found: _HTML[found[0]], _ACTIVE.sub(r"\\\g<0>", line))
    line = _LINK.sub(lambda found: f"&#{ord(found[0])};", _NAMED.sub(_JOINER, line))
    begins = _BEGINNING.match(line)
    if begins is None:
        return line
    # A list or an underline would begin here; after a number it is the dot that makes the list.
    at = begins.end() if begins[0].isdigit() else 0
    return f"{line[:at]}\\{line[at:]}"


def table(header: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> list[str]:
    """Lines of a table; cells are escaped, columns in ``right`` hold figures."""
    marks = ["---:" if at in right else "---" for at in range(len(header))]
    return [
        "| " + " | ".join(map(escaped, header)) + " |",
        "| " + " | ".join(marks) + " |",
        *("| " + " | ".join(map(escaped, row)) + " |" for row in rows),
    ]
