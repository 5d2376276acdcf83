"""Splits pasted text into the words of its commands, by the rules of the shell it was written for."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from qtune.core.shell_quoting import Shell

_WINDOWS = re.compile(r"(?:^|[\s\"'=])(?:[A-Za-z]:\\|\.{0,2}\\\\?\w)|\.exe\b", re.IGNORECASE)
_POWERSHELL = re.compile(
    r"`\s*$|^\s*&\s*[\"'.\w]|^\s*\$env:|^\s*\$\w+\s*=|^\s*\.\\", re.MULTILINE | re.IGNORECASE
)
_CMD = re.compile(r"\^\s*$|%\w+%|^\s*(?:set\s|@echo|rem\s|start\s+\"|chcp\s)", re.MULTILINE | re.IGNORECASE)
_SINGLE_QUOTED = re.compile(r"(?:^|[\s=])'")
"""No quotation for cmd."""
_REDIRECTION = re.compile(r"[<>]+(?:&\d?)?[ \t]*")


@dataclass(frozen=True, slots=True)
class ShellText:
    """Words of each command, in order.

    Attributes:
        redirections: Such as ``> log.txt``, which are no words of a command.
        open_quote: The text ends inside a quotation, so its words cannot be trusted.
    """

    shell: Shell
    commands: tuple[tuple[str, ...], ...]
    redirections: tuple[str, ...] = ()
    open_quote: bool = False


def split_commands(text: str) -> ShellText:
    """Split ``text``; the shell is recognised by its marks, sh where there are none.

    A line that begins with a flag goes on with the command before, so that lists of flags without the mark of
    a continued line are read too.
    """
    shell = _shell_of(text)
    reader = _Reader(text.replace("\r\n", "\n").replace("\r", "\n"), shell)
    reader.read()
    commands: list[tuple[str, ...]] = []
    for words, after_line_break in reader.commands:
        if commands and after_line_break and words[0].startswith("-"):
            commands[-1] += tuple(words)
        else:
            commands.append(tuple(words))
    return ShellText(shell, tuple(commands), tuple(reader.redirections), reader.open_quote)


def _shell_of(text: str) -> Shell:
    if _POWERSHELL.search(text):
        return "powershell"
    windows = _CMD.search(text) or _WINDOWS.search(text)
    return "cmd" if windows and not _SINGLE_QUOTED.search(text) else "sh"


_ESCAPE = {"sh": "\\", "powershell": "`", "cmd": ""}
_ENDS = {"sh": "\n;|&", "powershell": "\n;|", "cmd": "\n&|"}


def _cmd_pass(text: str) -> tuple[str, frozenset[int]]:
    """What cmd does before the program sees its line: carets gone, and where operators were protected."""
    kept: list[str] = []
    protected: set[int] = set()
    quoted = False
    at = 0
    while at < len(text):
        char = text[at]
        line = re.match(r"\^[ \t]*\n", text[at : at + 80]) if char == "^" and not quoted else None
        if line:
            kept.append(" ")
            at += line.end()
            continue
        if char == "^" and not quoted and at + 1 < len(text):
            at += 1
            protected.add(len(kept))
        elif char == '"':
            quoted = not quoted
        elif char == "\n":
            quoted = False
        elif quoted:
            protected.add(len(kept))
        kept.append(text[at])
        at += 2 if text.startswith("%%", at) else 1
    return "".join(kept), frozenset(protected)


@dataclass(slots=True)
class _Reader:
    text: str
    shell: Shell
    at: int = 0
    commands: list[tuple[list[str], bool]] = field(default_factory=list)
    redirections: list[str] = field(default_factory=list)
    open_quote: bool = False
    _protected: frozenset[int] = frozenset()
    _words: list[str] = field(default_factory=list)
    _word: list[str] | None = None
    _after_line_break: bool = False

    def read(self) -> None:
        if self.shell == "cmd":
            self.text, self._protected = _cmd_pass(self.text)
        while self.at < len(self.text):
            self._step()
        self._end_command("")

    def _step(self) -> None:
        char = self.text[self.at]
        if char == _ESCAPE[self.shell] and self.at + 1 < len(self.text):
            self._escaped()
        elif self.shell == "cmd" and char == "\\" and self._backslashes():
            pass
        elif char == '"' or (char == "'" and self.shell != "cmd"):
            self._quoted(char)
        elif char.isspace() and char != "\n":
            self.at += 1
            self._end_word()
        elif self.at not in self._protected and char in _ENDS[self.shell]:
            self.at += 1
            self._end_command(char)
        elif self.at not in self._protected and char in "<>":
            self._redirection()
        elif self._word is None and self._is_comment(char):
            self.at = self._line_end()
        else:
            self._take(char)
            self.at += 1

    def _escaped(self) -> None:
        follows = self.text[self.at + 1 :]
        # Blanks after the mark break it for the shell; people who paste do not mean that.
        line = re.match(r"[ \t]*\n", follows)
        if line:
            self.at += 1 + line.end()
            self._end_word()
            return
        self._take(follows[0])
        self.at += 2

    def _backslashes(self) -> bool:
        """Backslashes before a quote, as the program reads them: half, and the quote if one is left."""
        found = re.compile(r'(\\+)"').match(self.text, self.at)
        if found is None:
            return False
        pairs, odd = divmod(len(found[1]), 2)
        self._take("\\" * pairs + ('"' if odd else ""))
        self.at = found.end() if odd else found.end() - 1
        return True

    def _quoted(self, quote: str) -> None:
        """A quotation up to its end; quotes inside it are doubled or escaped, by shell."""
        self._take("")
        self.at += 1
        while self.at < len(self.text):
            char, rest = self.text[self.at], self.text[self.at + 1 : self.at + 2]
            if self.shell == "cmd" and char == "\\" and self._backslashes():
                continue
            if self._ends(quote, char):
                if self.shell == "sh" or not self._ends(quote, rest):
                    self.at += 1
                    return
                self._take(char)
                self.at += 2
                continue
            inside = self._escape_inside(quote, char, rest)
            self._take(rest.replace("\n", "") if inside else char)
            self.at += 2 if inside else 1
        self.open_quote = True

    def _ends(self, quote: str, char: str) -> bool:
        if self.shell == "powershell" and quote == "'":
            return char != "" and char in "'\u2018\u2019\u201a\u201b"
        return char == quote

    def _escape_inside(self, quote: str, char: str, rest: str) -> bool:
        if quote == "'" or not rest:
            return False
        if self.shell == "sh":
            return char == "\\" and rest in '$`"\\\n'
        return self.shell == "powershell" and char == "`"

    def _is_comment(self, char: str) -> bool:
        if self.shell == "cmd":
            here = self.text[self.at : self.at + 4].lower()
            return not self._words and (here.startswith("::") or here == "rem ")
        return char == "#"

    def _redirection(self) -> None:
        found = _REDIRECTION.match(self.text, self.at)
        assert found is not None  # noqa: S101 - the pattern begins with what stands here
        mark = found[0].strip()
        if self._word is not None and "".join(self._word).isdigit():
            mark, self._word = "".join(self._word) + mark, None
        self._end_word()
        self.at = found.end()
        before = len(self._words)
        while "&" not in mark and self.at < len(self.text) and len(self._words) == before:
            if self.text[self.at] == "\n":
                break
            self._step()
        self._end_word()
        target = self._words[before:]
        del self._words[before:]
        self.redirections.append(" ".join([mark, *target]))

    def _line_end(self) -> int:
        found = self.text.find("\n", self.at)
        return len(self.text) if found < 0 else found

    def _take(self, text: str) -> None:
        if self._word is None:
            self._word = []
        self._word.append(text)

    def _end_word(self) -> None:
        if self._word is not None:
            self._words.append("".join(self._word))
            self._word = None

    def _end_command(self, end: str) -> None:
        self._end_word()
        if self._words:
            self.commands.append((self._words, self._after_line_break))
            self._words = []
            self._after_line_break = False
        if end:
            self._after_line_break = end == "\n"
