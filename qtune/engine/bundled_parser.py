"""Reads the bundled engine's command line and environment the way llama-server does, down to the wording."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from qtune.engine.bundled_option import Action, Option
from qtune.engine.bundled_options import OPTIONS
from qtune.engine.bundled_values import ValueRefusedError, read_switch

_SECTIONS: Final = ("common", "sampling", "speculative", "example-specific")


class UsageError(Exception):
    """The command line cannot be used; the text is what llama-server prints about it."""


@dataclass
class ParsedCommand:
    """What was asked: values in the order they are to be applied, or something else to do (`action`)."""

    values: list[tuple[Option, Any]] = field(default_factory=list)
    action: Action | None = None
    warnings: list[str] = field(default_factory=list)

    def value_of(self, name: str) -> Any:  # noqa: ANN401 - values are of the options' own types
        """Last value given to the option with this spelling, None when it was not given."""
        found = [value for option, value in self.values if name in option.names]
        return found[-1] if found else None


def parse_command(arguments: Sequence[str], environment: Mapping[str, str]) -> ParsedCommand:
    """Parse arguments (without the program's name) over the LLAMA_* variables of `environment`.

    Raises UsageError with llama-server's message.
    """
    parsed = ParsedCommand()
    for option in OPTIONS:
        _take_environment(parsed, option, environment)
    spellings = {name: (option, True) for option in OPTIONS for name in option.names}
    spellings |= {name: (option, False) for option in OPTIONS for name in option.negative}
    seen: set[str] = set()
    rest = list(arguments)
    while rest:
        name = rest.pop(0)
        if name.startswith("--"):
            name = name.replace("_", "-")
        if name not in spellings:
            raise UsageError(f"error: invalid argument: {name}")
        option, positive = spellings[name]
        if name in seen and "--spec-type" not in option.names:
            parsed.warnings.append(
                f"DEPRECATED: argument '{name}' specified multiple times, use comma-separated values instead "
                "(only last value will be used)"
            )
        seen.add(name)
        if _environment_value(option, environment) is not None:
            parsed.warnings.append(
                f"warn: {option.env} environment variable is set, but will be overwritten by command line "
                f"argument {name}"
            )
        if option.action in {"version", "list-devices"}:
            parsed.action = option.action
            return parsed  # llama-server acts at once, whatever follows
        if option.action == "help":
            parsed.action = "help"
            continue
        _take(parsed, option, _read_argument(option, name, rest) if option.hint else positive)
    return parsed


def _take(parsed: ParsedCommand, option: Option, value: Any) -> None:  # noqa: ANN401
    if not option.many:
        parsed.values = [(other, old) for other, old in parsed.values if other is not option]
    parsed.values.append((option, value))


def _environment_value(option: Option, environment: Mapping[str, str]) -> str | None:
    if not option.env:
        return None
    if option.negative and option.env.replace("LLAMA_ARG_", "LLAMA_ARG_NO_") in environment:
        return "0"
    return environment.get(option.env)


def _take_environment(parsed: ParsedCommand, option: Option, environment: Mapping[str, str]) -> None:
    text = _environment_value(option, environment)
    if text is None:
        return
    try:
        if option.hint:
            _take(parsed, option, option.checked(text))
        elif option.negative:
            _take(parsed, option, read_switch(text))
        elif text in {"on", "enabled", "true", "1"}:
            _take(parsed, option, True)  # noqa: FBT003 - a switch's value
    except ValueRefusedError as error:
        raise UsageError(f'error while handling environment variable "{option.env}": {error}\n\n') from error


def _read_argument(option: Option, name: str, rest: list[str]) -> Any:  # noqa: ANN401
    try:
        return option.checked(rest.pop(0) if rest else None)
    except ValueRefusedError as error:
        raise UsageError(
            f'error while handling argument "{name}": {error}\n\n'
            f"usage:\n{option.explain()}\n\nto show complete usage, run with -h"
        ) from error


def help_text() -> str:
    """The complete help, in llama-server's layout."""
    sections = []
    for section in _SECTIONS:
        blocks = [option.explain() for option in OPTIONS if option.section == section]
        sections.append(f"----- {section} params -----\n\n" + "".join(blocks))
    return "\n\n".join(sections)
