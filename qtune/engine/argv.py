"""From settings to a command line that one particular llama-server accepts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from qtune.core.engine_facts import EngineFacts
from qtune.core.errors import KnownError
from qtune.core.fixed_flags import ALIKE, FOR_MEASURING
from qtune.core.messages import Message
from qtune.core.settings import SETTINGS, ServerSettings, Setting, SettingValue, Spelling

HOST = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Argv:
    """Arguments for one launch (without the program itself), and what had to be changed to get there."""

    tokens: tuple[str, ...]
    notes: tuple[Message, ...] = ()


_HEAD_FLAGS = ("--spec-draft-model", "--model-draft")


def build_argv(
    settings: ServerSettings,
    facts: EngineFacts,
    model_path: Path | str,
    port: int,
    alias: str,
    *,
    head_path: Path | str | None = None,
    devices: Sequence[str] = (),
) -> Argv:
    """Say everything that matters explicitly, in words this binary knows.

    ``head_path`` is an MTP head in a file of its own, named only while MTP is on; the server itself would not
    look for it in an ``MTP`` folder. ``devices`` are those it may use; none named, it takes what it finds.

    Raises:
        KnownError: ``engine_without_mtp`` when MTP is asked of a build that cannot; ``engine_foreign`` when
            it cannot even be told the model, address and port.
    """
    usable = facts.options - facts.removed
    tokens: list[str] = []
    notes: list[Message] = []
    for flag, value in (
        ("--model", str(model_path)),
        ("--host", HOST),
        ("--port", str(port)),
        ("--alias", alias),
    ):
        if flag in usable:
            tokens += [flag, value]
        elif flag != "--alias":
            raise KnownError("engine_foreign", path=facts.ref.path)
    for setting in SETTINGS.values():
        words, note = _say(setting, settings, facts, usable)
        tokens += words
        notes += note
    if head_path is not None and settings.mtp:
        tokens += [_head_flag(facts, usable), str(head_path)]
    if devices and "--device" in usable:
        tokens += ["--device", ",".join(devices)]
    elif devices:
        notes.append(Message.of("device_not_chosen", devices=", ".join(devices)))
    for flags, word in (*ALIKE, *FOR_MEASURING):
        known = next((flag for flag in flags if flag in usable), None)
        if known is not None:
            tokens += [known] if word is None else [known, word]
    return Argv(tuple(tokens), tuple(notes))


def _head_flag(facts: EngineFacts, usable: frozenset[str]) -> str:
    named = next((flag for flag in _HEAD_FLAGS if flag in usable), None)
    if named is None:
        raise KnownError("engine_without_mtp", version=facts.version)
    return named


def _say(
    setting: Setting, settings: ServerSettings, facts: EngineFacts, usable: frozenset[str]
) -> tuple[list[str], list[Message]]:
    value = settings.get(setting.key)
    if value in setting.omit or (setting.needs_mtp and not settings.mtp):
        return [], []
    if setting.per_slot:
        assert isinstance(value, int)  # noqa: S101 - only whole numbers are shared out
        value *= settings.parallel
    spelling = _spelling(setting, value, facts, usable)
    if spelling is None:
        if setting.key == "mtp":
            raise KnownError("engine_without_mtp", version=facts.version)
        return [], [Message.of("setting_dropped", setting=setting.label)]
    tokens = spelling.tokens(value)
    if spelling == setting.spellings[0]:
        return tokens, []
    return tokens, [Message.of("setting_translated", setting=setting.label, spelling=" ".join(tokens))]


def _spelling(
    setting: Setting, value: SettingValue, facts: EngineFacts, usable: frozenset[str]
) -> Spelling | None:
    for spelling in setting.spellings:
        has_type = spelling.needs_spec_type is None or spelling.needs_spec_type in facts.spec_types
        if spelling.flag in usable and has_type and spelling.can_say(value):
            return spelling
    return None
