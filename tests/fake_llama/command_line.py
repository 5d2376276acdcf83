"""Reads config file, environment and arguments as llama-server does, with its error wording."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from tests.fake_llama.options import KV_TYPES, Option, known_options
from tests.fake_llama.switches import Switches

_ON = ("on", "enabled", "true", "1")


class BadArgumentError(Exception):
    """What llama-server would print on stderr before it exits with 1."""


@dataclass
class Settings:
    """The values in force, by the first long spelling of each option; flags are "on" or "off"."""

    values: dict[str, str]
    given: set[str] = field(default_factory=set)
    config_files: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def text(self, key: str) -> str:
        """The value as written, empty where the option is not known to this build."""
        return self.values.get(key, "")

    def number(self, key: str) -> int:
        """The value as a whole number, 0 where unset."""
        return int(self.values.get(key) or 0)

    def is_on(self, key: str) -> bool:
        """Whether a flag (or an on/off choice) is on."""
        return self.values.get(key) in _ON

    @property
    def mtp(self) -> bool:
        """Whether drafting with the MTP head was asked for."""
        return bool({"draft-mtp", "mtp"} & set(self.text("--spec-type").split(",")))

    @property
    def slots(self) -> int:
        """Number of slots; "auto" is four."""
        asked = self.number("--parallel")
        return asked if asked > 0 else 4


def parse(arguments: list[str], switches: Switches) -> Settings:
    """Turn arguments into settings.

    Raises:
        BadArgumentError: with the text for stderr.
    """
    options = known_options(switches)
    by_name = {name: option for option in options for name in option.all_names}
    settings = Settings({option.key: _default(option) for option in options})
    _read_config_files(settings, by_name)
    for option in options:
        if option.env and (value := os.environ.get(option.env)) is not None:
            try:
                _store(settings, option, _env_value(option, value), switches)
            except ValueError as error:
                text = f'error while handling environment variable "{option.env}": {error}\n\n'
                raise BadArgumentError(text) from None
    from_env = {o.key: o.env for o in options if o.env in os.environ}
    rest = list(arguments)
    seen: set[str] = set()
    while rest:
        name = rest.pop(0)
        if name.startswith("--"):
            name = name.replace("_", "-")
        option_or_none = by_name.get(name)
        if option_or_none is None:
            raise BadArgumentError(f"error: invalid argument: {name}")
        _take(settings, option_or_none, name, rest, switches)
        key = option_or_none.key
        if key in seen and key != "--spec-type":
            settings.warnings.append(
                f"DEPRECATED: argument '{name}' specified multiple times, "
                "use comma-separated values instead (only last value will be used)"
            )
        if key in from_env:
            env = from_env.pop(key)
            tail = f"environment variable is set, but will be overwritten by command line argument {name}"
            settings.warnings.append(f"warn: {env} {tail}")
        seen.add(key)
    settings.given = seen
    if settings.text("--parallel") == "0":
        raise BadArgumentError(
            'error while handling argument "--parallel": error: invalid value for n_parallel\n'
        )
    return settings


def _take(settings: Settings, option: Option, name: str, rest: list[str], switches: Switches) -> None:
    if option.kind == "flag":
        settings.values[option.key] = "off" if name in option.off_names else "on"
        return
    try:
        _store(settings, option, rest.pop(0) if rest else None, switches)
    except ValueError as error:
        block = help_block(option)
        raise BadArgumentError(
            f'error while handling argument "{name}": {error}\n\nusage:\n{block}\n\n'
            "to show complete usage, run with -h"
        ) from None


def _store(settings: Settings, option: Option, value: str | None, switches: Switches) -> None:
    if option.kind == "removed":
        raise ValueError(option.text)
    if value is None:
        raise ValueError("expected value for argument")
    checks = {"int": ("stoi", int), "float": ("stof", float)}
    if option.kind in checks:
        wording, convert = checks[option.kind]
        try:
            convert(value)
        except ValueError:
            raise ValueError(wording) from None
    if option.key == "--gpu-layers" and value not in ("auto", "all") and not value.lstrip("-").isdigit():
        raise ValueError("stoi")
    if option.kind == "choice" and value not in option.choices:
        raise ValueError("invalid value")
    if option.kind == "kv" and value not in KV_TYPES:
        raise ValueError(f"Unsupported cache type: {value}")
    if option.kind == "device":
        known = [line.partition(":")[0] for line in switches.devices]
        for device in value.split(","):
            if device not in (*known, "none"):
                raise ValueError(f"invalid device: {device}")
    if option.kind == "spec":
        for one in value.split(","):
            if one not in option.choices:
                raise ValueError(f"unknown speculative type: {one}")
        before = settings.values.get(option.key, "none")
        value = value if before == "none" else f"{before},{value}"
    settings.values[option.key] = value


def _default(option: Option) -> str:
    if option.kind != "flag":
        return option.default
    return "on" if option.off_names and option.key not in ("--kv-unified", "--context-shift") else "off"


def _env_value(option: Option, value: str) -> str:
    if option.kind == "flag":
        return "on" if value in _ON else "off"
    return value


def _read_config_files(settings: Settings, by_name: dict[str, Option]) -> None:
    base = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")  # noqa: PTH111 - HOME decides
    path = Path(base) / "llama.cpp" / "config.ini"
    if not path.is_file():
        return
    settings.config_files.append(str(path))
    for line in path.read_text(encoding="utf-8").splitlines():
        key, equals, value = line.partition("=")
        option = by_name.get(f"--{key.strip()}")
        if equals and option is not None:
            settings.values[option.key] = _env_value(option, value.strip())


def help_block(option: Option) -> str:
    """The lines of one option in the help: spellings in column 0, text from column 40 on."""
    names = list(option.names + option.off_names)
    head = names[0]
    if len(names) > 1:
        head = f"{names[0] + ', ':<7}" + ", ".join(names[1:])
    if option.hint:
        head += f" {option.hint}"
    text = option.text + (f" (default: {option.default})" if option.default else "")
    lines = _wrapped(text, 70) + ([f"(env: {option.env})"] if option.env else [])
    if len(head) > 37:
        return "\n".join([head, *(" " * 40 + line for line in lines)])
    first = f"{head:<40}{lines[0]}"
    return "\n".join([first, *(" " * 40 + line for line in lines[1:])])


def _wrapped(text: str, width: int) -> list[str]:
    lines = [""]
    for word in text.split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) > width:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines
