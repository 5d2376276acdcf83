"""Reads a pasted llama-server command as settings; what is not understood is listed, never dropped.

Flags come from the declarations in ``core.settings``. Older spellings are read too, for commands written for
another build. Keys are dropped while reading and are in no part of the result.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from qtune.core.errors import KnownError
from qtune.core.messages import Message
from qtune.core.settings import SETTINGS, ServerSettings, Setting, SettingValue, Spelling
from qtune.core.shell_quoting import Shell, command_text
from qtune.core.shell_words import split_commands

__all__ = ["PastedCommand", "Shell", "command_text", "read_command"]

MAX_CHARACTERS = 100_000
"""A longer text is no command line."""

_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?", re.IGNORECASE)
_ASSIGNMENT = re.compile(r"(?:\$env:)?([A-Za-z_]\w*)=(.*)", re.DOTALL | re.IGNORECASE)
_SECRET = re.compile(r"key|token(?!s|iz)|secret|passw|credential|authorization", re.IGNORECASE)
_SECRET_FLAGS = frozenset({"-hft"})
_KEY_SHAPED = re.compile(r"\b(?:sk-|hf_|Bearer\s+)\S+", re.IGNORECASE)
_HIDDEN = "***"
_SERVERS = frozenset({"llama-server", "llama-cpp-server"})
_OLD_SERVER = "server"
_MODEL_FLAGS = ("--model", "-m")
_MODEL_ENV = "LLAMA_ARG_MODEL"
_DOWNLOADS = ("-hf", "-hfr", "--hf-repo", "-mu", "--model-url", "-dr", "--docker-repo")
_SPEC_TYPE = "--spec-type"
_ALL_LAYERS = 99
"""People write 99 or more for "all layers"."""
_BUNDLED = "--bundled-engine"


@dataclass(frozen=True, slots=True)
class PastedCommand:
    """What a pasted command says.

    Attributes:
        settings: Values by key of ``SETTINGS``, only those the command gives.
        model_path: The model as written, None when it names no file.
        engine_path: The server as written, None when it cannot be told.
        ignored: Everything that becomes no setting, as written but without keys: flags of no consequence
            here (address, port), flags qtune has no setting for, other commands, redirections.
        problems: What could not be read or cannot be kept, in sentences.
    """

    settings: dict[str, SettingValue]
    model_path: str | None = None
    engine_path: str | None = None
    ignored: tuple[str, ...] = ()
    problems: tuple[Message, ...] = ()


def read_command(text: str) -> PastedCommand:
    """Read a pasted command: of sh, PowerShell or cmd, with line continuations, quotes and variables."""
    if len(text) > MAX_CHARACTERS:
        return PastedCommand({}, problems=(Message.of("pasted_too_long", limit=MAX_CHARACTERS),))
    split = split_commands(text)
    if split.open_quote:
        return PastedCommand({}, problems=(Message.of("pasted_open_quote"),))
    commands = [_undressed(words) for words in split.commands]
    if not any(words for _, words in commands):
        nothing = any(environment for environment, _ in commands)
        if not nothing:
            return PastedCommand({}, problems=(Message.of("pasted_nothing"),))
    chosen = _which(commands)
    reading = _Reading()
    for number, (environment, words) in enumerate(commands):
        for name, value in environment.items():
            reading.take_variable(name, value)
        if number != chosen and words:
            reading.ignored.append(" ".join(_without_keys(words)))
    reading.take_command(commands[chosen][1])
    reading.ignored += [_masked(redirection) for redirection in split.redirections]
    return reading.result()


def _undressed(words: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """Environment that a command sets, and its words without it and without what only calls it."""
    rest = [w.removeprefix("ExecStart=") if not n else w for n, w in enumerate(words)]
    environment: dict[str, str] = {}
    while rest:
        if rest[0] in {"&", "export", "set", "exec", "env", "sudo", "nohup", "time", "$"}:
            rest.pop(0)
        elif len(rest) > 2 and rest[1] == "=" and rest[0].lower().startswith("$env:"):
            environment[rest[0][5:]] = rest[2]
            del rest[:3]
        elif found := _ASSIGNMENT.fullmatch(rest[0]):
            environment[found[1]] = found[2]
            rest.pop(0)
        else:
            break
    return environment, rest


def _stem(word: str) -> str:
    return re.split(r"[/\\]", word)[-1].lower().removesuffix(".exe")


def _engine_at(words: Sequence[str]) -> tuple[int, int] | None:
    """First and last place of the words that start the server; None when no server is named."""
    if _BUNDLED in words:
        return 0, words.index(_BUNDLED)
    for at, word in enumerate(words):
        if _stem(word) in _SERVERS or (at == 0 and _stem(word) == _OLD_SERVER):
            return at, at
        if "llama.cpp:" in word.lower() or "llama-cpp:" in word.lower():  # a container image
            return at, at
    return None


def _which(commands: Sequence[tuple[Mapping[str, str], Sequence[str]]]) -> int:
    """Index of the command that starts the server, else of the one with most flags."""
    for number, (_, words) in enumerate(commands):
        if _engine_at(words) is not None:
            return number
    flags = [sum(word.startswith("-") for word in words) for _, words in commands]
    return flags.index(max(flags))


def _is_flag(word: str) -> bool:
    return len(word) > 1 and word.startswith("-") and not _NUMBER.fullmatch(word)


def _by_flag() -> dict[str, list[tuple[Setting, Spelling]]]:
    found: dict[str, list[tuple[Setting, Spelling]]] = {}
    for setting in SETTINGS.values():
        for spelling in (*setting.spellings, *setting.aliases):
            found.setdefault(spelling.flag, []).append((setting, spelling))
    return found


_FLAGS = _by_flag()
_VARIABLES = {setting.env: setting for setting in SETTINGS.values() if setting.env}


@dataclass(slots=True)
class _Reading:
    values: dict[str, SettingValue] = field(default_factory=dict)
    model: str | None = None
    engine: str | None = None
    ignored: list[str] = field(default_factory=list)
    problems: list[Message] = field(default_factory=list)
    downloads: str | None = None

    def take_variable(self, name: str, value: str) -> None:
        """One variable of the environment; llama-server reads ``LLAMA_ARG_*`` like flags."""
        setting = _VARIABLES.get(name)
        if name == _MODEL_ENV:
            self.model = self._path(value)
        elif setting is None:
            self.ignored.append(f"{name}={_HIDDEN if _SECRET.search(name) else _masked(value)}")
        else:
            flag = setting.spellings[0].flag
            self._say(flag, value, f"{name}={value}")

    def take_command(self, words: Sequence[str]) -> None:
        """The words of the command itself."""
        place = _engine_at(words)
        first = 0
        if place is not None:
            if place[0]:
                self.ignored.append(" ".join(_without_keys(words[: place[0]])))
            first = place[1] + 1
            # A container image and the bundled engine are no file that could be chosen.
            if place[0] == place[1] and ":" not in _stem(words[place[0]]) and words[place[0]] != _BUNDLED:
                self.engine = self._path(words[place[0]])
        elif words and not _is_flag(words[0]):
            self.problems.append(Message.of("pasted_other_program", program=_masked(words[0])))
            first = 1
        for flag, given in _pairs(words[first:]):
            self._take(flag, given)

    def _take(self, flag: str, given: list[str]) -> None:
        written = " ".join([flag, *given])
        if flag in _MODEL_FLAGS and given:
            self.model = self._path(given[0])
            self._rest(given[1:])
        elif flag in _FLAGS:
            optional = any(_is_bare(spelling) for _, spelling in _FLAGS[flag])
            value = given[0] if given and not (optional and not _known_word(flag, given[0])) else None
            self._say(flag, value, flag if value is None else f"{flag} {value}")
            self._rest(given[0 if value is None else 1 :])
        else:
            if flag in _DOWNLOADS and given:
                self.downloads = given[0]
            hidden = given and _is_secret(flag)
            self.ignored.append(f"{flag} {_HIDDEN}" if hidden else _masked(written))

    def _rest(self, words: Sequence[str]) -> None:
        if words:
            self.ignored.append(" ".join(_without_keys(words)))

    def _path(self, path: str) -> str:
        if re.search(r"\$\{?\w|%\w+%", path):
            self.problems.append(Message.of("pasted_variable", text=_masked(path)))
        return path

    def _say(self, flag: str, value: str | None, written: str) -> None:
        if flag == _SPEC_TYPE and value is not None:
            self._spec_types(value)
            return
        candidates = _FLAGS[flag]
        setting = candidates[0][0]
        for setting, spelling in candidates:
            known = [v for v, word in spelling.words or () if word == value]
            if known:
                self.values[setting.key] = known[0]
                return
        if value is None:
            self.problems.append(Message.of("pasted_value_missing", flag=flag))
            self.ignored.append(written)
        elif setting.key == "gpu_layers":
            self._layers(setting, value, written)
        elif any(spelling.words is None for _, spelling in candidates):
            self._read(setting, value, written)
        else:
            self._refuse(setting, value, written)

    def _read(self, setting: Setting, value: str, written: str) -> None:
        try:
            # Shared out over the slots at the end, and judged there.
            self.values[setting.key] = int(value) if setting.per_slot else setting.read(value)
        except (ValueError, KnownError):
            self._refuse(setting, value, written)

    def _layers(self, setting: Setting, value: str, written: str) -> None:
        if value.isdigit() and int(value[:9]) >= _ALL_LAYERS:
            self.values[setting.key] = "all"
        else:
            self._refuse(setting, value, written)

    def _refuse(self, setting: Setting, value: str, written: str) -> None:
        error = Message.of(
            "setting_invalid", setting=setting.label, value=_masked(value), allowed=setting.allowed()
        )
        self.problems.append(error)
        self.ignored.append(_masked(written))

    def _spec_types(self, listed: str) -> None:
        """Kinds of speculation by comma; only MTP is a setting, others are named among the ignored."""
        for kind in filter(None, (one.strip() for one in listed.split(","))):
            known = [
                value
                for _, spelling in _FLAGS[_SPEC_TYPE]
                for value, word in spelling.words or ()
                if word == kind
            ]
            if not known:
                self.ignored.append(f"{_SPEC_TYPE} {kind}")
            elif known[0] is not False or "mtp" not in self.values:
                self.values["mtp"] = known[0]

    def result(self) -> PastedCommand:
        """Everything read; the context is what one of the slots gets."""
        parallel = self.values.get("parallel", ServerSettings().parallel)
        for setting in SETTINGS.values():
            if setting.per_slot and setting.key in self.values:
                self._share_out(setting, int(self.values.pop(setting.key)), int(parallel))
        if self.model is None and self.downloads is not None:
            self.problems.append(Message.of("pasted_download", model=_masked(self.downloads)))
        ordered = {key: self.values[key] for key in SETTINGS if key in self.values}
        return PastedCommand(
            ordered, self.model, self.engine, tuple(filter(None, self.ignored)), tuple(self.problems)
        )

    def _share_out(self, setting: Setting, total: int, parallel: int) -> None:
        flag = setting.spellings[0].flag
        if total == 0:
            self.problems.append(Message.of("pasted_context_of_model"))
            self.ignored.append(f"{flag} 0")
            return
        try:
            self.values[setting.key] = setting.check(total // parallel)
        except KnownError:
            self._refuse(setting, str(total), f"{flag} {total}")


def _is_bare(spelling: Spelling) -> bool:
    return any(word is None for _, word in spelling.words or ())


def _known_word(flag: str, word: str) -> bool:
    return any(word == known for _, spelling in _FLAGS[flag] for _, known in spelling.words or ())


def _pairs(words: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Each flag with the words up to the next one; a flag that must have a value takes any word for it."""
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        flag, equals, value = word.partition("=") if word.startswith("--") else (word, "", "")
        given = [value] if equals else []
        if flag.startswith("--"):
            flag = flag.replace("_", "-")
        wants = (
            flag in _MODEL_FLAGS
            or _is_secret(flag)
            or (flag in _FLAGS and not any(_is_bare(spelling) for _, spelling in _FLAGS[flag]))
        )
        if wants and not given and at < len(words) and not _looks_known(words[at]):
            given.append(words[at])
            at += 1
        while at < len(words) and not _is_flag(words[at]):
            given.append(words[at])
            at += 1
        yield flag, given


def _looks_known(word: str) -> bool:
    """Whether a word in the place of a value is rather the next flag."""
    return word in _FLAGS or word in _MODEL_FLAGS or word.startswith("--")


def _is_secret(name: str) -> bool:
    return name in _SECRET_FLAGS or _SECRET.search(name) is not None


def _masked(text: str) -> str:
    return _KEY_SHAPED.sub(_HIDDEN, text)


def _without_keys(words: Sequence[str]) -> list[str]:
    """Words of a command with the values of keys hidden, however they are given."""
    shown: list[str] = []
    hide = False
    for word in words:
        name, equals, value = word.partition("=")
        if hide and not _is_flag(word):
            shown.append(_HIDDEN)
            hide = False
            continue
        secret = _is_secret(name)
        hide = secret and not equals
        shown.append(f"{name}={_HIDDEN}" if secret and equals and value else _masked(word))
    return shown
