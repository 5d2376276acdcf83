"""Words for the ladder: what a rung changes, what it costs, how things stand."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from qtune.core.incident import Incident
from qtune.core.ladder import Footing, LadderState, LadderView, RungView
from qtune.core.messages import QT_TRANSLATE_NOOP
from qtune.core.presets import Preset
from qtune.core.settings import Setting, SettingValue, diff
from qtune.ui.words import figures_text, texts

_translate = QCoreApplication.translate

STATE_LOOKS: dict[LadderState, tuple[str, str]] = {
    "stopped": ("stopped", "idle"),
    "starting": ("loading", "warn"),
    "in_force": ("ready", "good"),
    "waiting": ("loading", "warn"),
    "failed": ("crashed", "bad"),
}
"""Shape and tone of each state."""
_STATES: dict[LadderState, str] = {
    "stopped": QT_TRANSLATE_NOOP("ladder", "stopped"),
    "starting": QT_TRANSLATE_NOOP("ladder", "starting"),
    "in_force": QT_TRANSLATE_NOOP("ladder", "in force"),
    "waiting": QT_TRANSLATE_NOOP("ladder", "waiting for the next try"),
    "failed": QT_TRANSLATE_NOOP("ladder", "failed"),
}


def state_word(state: LadderState) -> str:
    """How the rung we stand on does."""
    return _translate("ladder", _STATES[state])


def footing_title(footing: Footing, presets: tuple[Preset, ...]) -> str:
    """A preset at a context."""
    name = texts.preset_title(footing.preset or "custom", presets)
    context = figures_text.context(footing.settings.ctx_size)
    return QCoreApplication.translate("ladder", "{preset}, context {context}").format(
        preset=name, context=context
    )


def rung_title(view: RungView) -> str:
    """What a rung does, as a heading."""
    return texts.sentence(view.rung.describe()).rstrip(".。")


def rung_changes(view: RungView) -> list[str]:
    """Every setting a rung changes, with its name and the value before and after."""
    return changes_between(view.rung.before, view.rung.after)


def changes_between(former: Footing, latter: Footing) -> list[str]:
    """Every setting in which two footings differ, the model first, with the value before and after."""
    lines = [
        QCoreApplication.translate("ladder", "{setting}: {before} → {after}").format(
            setting=texts.setting_label(setting.key),
            before=value_word(setting, before),
            after=value_word(setting, after),
        )
        for setting, before, after in diff(former.settings, latter.settings)
    ]
    before, after = former.model_path, latter.model_path
    if before != after:
        names = {"before": file_name(before), "after": file_name(after)}
        lines.insert(0, QCoreApplication.translate("ladder", "Model: {before} → {after}").format(**names))
    return lines


def price(view: RungView) -> str:
    """What a rung was measured to cost and to free; empty while that is unknown."""
    parts = []
    if view.price is not None:
        parts.append(
            QCoreApplication.translate("ladder", "{change} decode").format(
                change=figures_text.gain(view.price)
            )
        )
    before = None if view.before is None else view.before.memory_bytes
    after = None if view.after is None else view.after.memory_bytes
    if before is not None and after is not None and abs(after - before) >= figures_text.MIB:
        sign = "−" if after < before else "+"
        parts.append(sign + figures_text.memory(abs(after - before)))
    return " · ".join(part.replace(" ", "\u00a0") for part in parts)


def lowered_words(view: LadderView, presets: tuple[Preset, ...]) -> tuple[str, str]:
    """What was asked for, what became of it, and why, for the banner."""
    what = " ".join(texts.sentence(rung.rung.describe()) for rung in view.taken)
    sentence = QCoreApplication.translate("ladder", "{asked} was asked for, but: {what}").format(
        asked=footing_title(view.asked, presets), what=what
    )
    return sentence, reason(view)


def reason(view: LadderView) -> str:
    """Why the last rung was taken; empty at the top."""
    if not view.lowered:
        return ""
    if view.why is None:
        return QCoreApplication.translate("ladder", "You rolled back.")
    return QCoreApplication.translate("ladder", "Because: {why}").format(why=texts.sentence(view.why))


def incident_done(incident: Incident) -> str:
    """What was done after a failure and what can be done, in one line; empty where neither is known."""
    action = incident.action
    done = "" if action is None else texts.sentence(action)
    advice = ("" if action is None else texts.hint(action)) or texts.hint(incident.message)
    return " ".join(part for part in (done, advice) if part)


def value_word(setting: Setting, value: SettingValue) -> str:
    """A value of a setting as people read it, with its unit."""
    if isinstance(value, bool):
        return (
            QCoreApplication.translate("ladder", "on")
            if value
            else QCoreApplication.translate("ladder", "off")
        )
    if isinstance(value, int):
        return figures_text.count(value)
    return str(value) + (f" {setting.unit}" if setting.unit and value != "" else "")


def file_name(path: str) -> str:
    """The last part of a path of either kind."""
    return path.replace("\\", "/").rsplit("/", 1)[-1]
