"""One option of the bundled engine's command line, and how its help reads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal

from qtune.engine.bundled_apply import Apply, attribute, member
from qtune.engine.bundled_values import KV_TYPES, ValueRefusedError, read_cache_type, read_integer

Section = Literal["common", "sampling", "speculative", "example-specific"]
Action = Literal["help", "version", "list-devices"]


@dataclass(frozen=True)
class Option:
    """One option. `read` checks the text of a value, `apply` sets it; a switch has no `hint`.

    `negative` spellings turn a switch off. `action` options do something else than set a value.
    `many` values accumulate, all other options keep the last one.
    """

    names: tuple[str, ...]
    section: Section
    text: str
    apply: Apply | None = None
    read: Callable[[str], Any] | None = None
    hint: str = ""
    env: str = ""
    negative: tuple[str, ...] = ()
    action: Action | None = None
    many: bool = False

    def checked(self, text: str | None) -> Any:  # noqa: ANN401 - values are of the options' own types
        """The value that `text` means; None stands for a missing value. Raises ValueRefusedError."""
        if text is None:
            raise ValueRefusedError("expected value for argument")
        return self.read(text) if self.read else text

    def explain(self) -> str:
        """The option's block of the help, in llama-server's layout: text from column 40."""
        spellings = [*self.names, *self.negative]
        head = spellings[0]
        if len(spellings) > 1:
            head = f"{head + ', ':<7}" + ", ".join(spellings[1:])
        if self.hint:
            head += " " + self.hint
        lines = [line for part in self.text.split("\n") for line in _wrap(part, 70)]
        if self.env:
            lines.append(f"(env: {self.env})")
        margin = " " * 40
        opening = f"{head}\n{margin}" if len(head) > 37 else f"{head:<40}"
        return opening + f"\n{margin}".join(lines) + "\n"


def _wrap(text: str, width: int) -> list[str]:
    lines: list[str] = [""]
    for word in text.split(" "):
        if lines[-1] and len(lines[-1]) + 1 + len(word) > width:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + word
    return lines


_KV_HELP: Final = "number format of the {0}\nallowed values: " + ", ".join(KV_TYPES) + "\n(default: f16)"


def cache_type(names: tuple[str, ...], what: str, path: str, env: str) -> Option:
    """Option for the number format of a KV cache."""
    return Option(
        names,
        "common",
        _KV_HELP.format(what),
        member(path, "ggml_type", "GGML_TYPE_"),
        read_cache_type,
        "TYPE",
        env,
    )


def count(
    names: tuple[str, ...],
    section: Section,
    text: str,
    path: str,
    env: str,
    *,
    read: Callable[[str], int] = read_integer,
) -> Option:
    """Option with an integer value that is set as it is."""
    return Option(names, section, text, attribute(path), read, "N", env)


def switch(names: str, section: Section, text: str, path: str, env: str, *, negative: str = "") -> Option:
    """Option without a value; `names` and `negative` are lists of spellings, separated by blanks."""
    return Option(
        tuple(names.split()), section, text, attribute(path), env=env, negative=tuple(negative.split())
    )
