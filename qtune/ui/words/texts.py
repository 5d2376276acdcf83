"""Words for the core's codes: messages, presets, settings, states, translated where they are shown."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime

from PySide6.QtCore import QCoreApplication, QDate, QLocale, QTime

from qtune.core.messages import CONTEXT, QT_TRANSLATE_NOOP, Message, ParamValue, gain, render, text_of
from qtune.core.model_facts import SAMPLE_NAME, ModelFacts
from qtune.core.presets import Preset
from qtune.core.records import RequestRecord, RunRecord, RunStatus
from qtune.core.server_state import ServerState
from qtune.core.settings import SETTINGS, SettingValue
from qtune.core.taken_in import IMPORTED
from qtune.core.workload import Workload
from qtune.session.plans import SCREEN
from qtune.ui.words import figures_text

# Titles and aims stand in the preset files; they are repeated here only so that lupdate finds them.
_PRESET_TEXTS = (
    QT_TRANSLATE_NOOP("presets", "Off"),
    QT_TRANSLATE_NOOP("presets", "Conservative"),
    QT_TRANSLATE_NOOP("presets", "Balanced"),
    QT_TRANSLATE_NOOP("presets", "Aggressive"),
    QT_TRANSLATE_NOOP("presets", "Custom"),
    QT_TRANSLATE_NOOP("presets", "Without MTP, for comparison"),
    QT_TRANSLATE_NOOP("presets", "Faster without touching stability"),
    QT_TRANSLATE_NOOP("presets", "Clearly faster"),
    QT_TRANSLATE_NOOP("presets", "The limit, with eyes open"),
    QT_TRANSLATE_NOOP("presets", "The draft length found on this machine"),
)
_STATES: Mapping[ServerState, str] = {
    ServerState.STOPPED: QT_TRANSLATE_NOOP("states", "stopped"),
    ServerState.STARTING: QT_TRANSLATE_NOOP("states", "starting"),
    ServerState.LOADING: QT_TRANSLATE_NOOP("states", "loading"),
    ServerState.READY: QT_TRANSLATE_NOOP("states", "ready"),
    ServerState.MEASURING: QT_TRANSLATE_NOOP("states", "measuring"),
    ServerState.STOPPING: QT_TRANSLATE_NOOP("states", "stopping"),
    ServerState.CRASHED: QT_TRANSLATE_NOOP("states", "crashed"),
}
_RUN_STATES: Mapping[RunStatus, str] = {
    RunStatus.RUNNING: QT_TRANSLATE_NOOP("states", "running"),
    RunStatus.DONE: QT_TRANSLATE_NOOP("states", "done"),
    RunStatus.FAILED: QT_TRANSLATE_NOOP("states", "failed"),
    RunStatus.CANCELLED: QT_TRANSLATE_NOOP("states", "cancelled"),
    RunStatus.INTERRUPTED: QT_TRANSLATE_NOOP("states", "interrupted"),
}
_PHASES = {
    "warmup": QT_TRANSLATE_NOOP("states", "warm-up"),
    "counted": QT_TRANSLATE_NOOP("states", "counted"),
}
_WORKLOAD_TITLES = (
    QT_TRANSLATE_NOOP("workloads", "Code, a booking module"),
    QT_TRANSLATE_NOOP("workloads", "Code, a booking module (Chinese)"),
    QT_TRANSLATE_NOOP("workloads", "Creative, a short story"),
    QT_TRANSLATE_NOOP("workloads", "Creative, a short story (Chinese)"),
    QT_TRANSLATE_NOOP("workloads", "JSON extraction, five hives"),
    QT_TRANSLATE_NOOP("workloads", "JSON extraction, five hives (Chinese)"),
    QT_TRANSLATE_NOOP("workloads", "Knowledge question, tides"),
    QT_TRANSLATE_NOOP("workloads", "Knowledge question, tides (Chinese)"),
    QT_TRANSLATE_NOOP("workloads", "Mathematics, step by step"),
    QT_TRANSLATE_NOOP("workloads", "Mathematics, step by step (Chinese)"),
    QT_TRANSLATE_NOOP("workloads", "Sample prompt"),
    QT_TRANSLATE_NOOP("workloads", "Sample prompt three"),
    QT_TRANSLATE_NOOP("workloads", "Sample prompt two"),
    QT_TRANSLATE_NOOP("workloads", "Summary, ten bullets"),
    QT_TRANSLATE_NOOP("workloads", "Summary, ten bullets (Chinese)"),
)
_SHORT = {
    "mtp": QT_TRANSLATE_NOOP("settings", "MTP on"),
    "n_max": QT_TRANSLATE_NOOP("settings", "drafts {value} tokens"),
    "batch_size": QT_TRANSLATE_NOOP("settings", "batch {value}"),
    "ubatch_size": QT_TRANSLATE_NOOP("settings", "physical batch {value}"),
    "parallel": QT_TRANSLATE_NOOP("settings", "slots: {value}"),
}
_ARMS = {
    "off_again": QT_TRANSLATE_NOOP("arms", "Off again"),
    "chat": QT_TRANSLATE_NOOP("arms", "Chat"),
    "raw": QT_TRANSLATE_NOOP("arms", "Without template"),
}
_TRIAL = QT_TRANSLATE_NOOP("arms", "trial: {arm}")
_PROMPTS = {
    "summary": QT_TRANSLATE_NOOP("prompts", "summary"),
    "summary_zh": QT_TRANSLATE_NOOP("prompts", "summary (Chinese)"),
    "code": QT_TRANSLATE_NOOP("prompts", "code"),
    "code_zh": QT_TRANSLATE_NOOP("prompts", "code (Chinese)"),
    "mathematics": QT_TRANSLATE_NOOP("prompts", "mathematics"),
    "mathematics_zh": QT_TRANSLATE_NOOP("prompts", "mathematics (Chinese)"),
    "knowledge": QT_TRANSLATE_NOOP("prompts", "knowledge"),
    "knowledge_zh": QT_TRANSLATE_NOOP("prompts", "knowledge (Chinese)"),
    "json": QT_TRANSLATE_NOOP("prompts", "JSON"),
    "json_zh": QT_TRANSLATE_NOOP("prompts", "JSON (Chinese)"),
    "creative": QT_TRANSLATE_NOOP("prompts", "creative"),
    "creative_zh": QT_TRANSLATE_NOOP("prompts", "creative (Chinese)"),
    "sample": QT_TRANSLATE_NOOP("prompts", "sample"),
    "sample_two": QT_TRANSLATE_NOOP("prompts", "sample two"),
    "sample_three": QT_TRANSLATE_NOOP("prompts", "sample three"),
}
_DEPTH = QT_TRANSLATE_NOOP("prompts", "{depth} deep")
_FULL = QT_TRANSLATE_NOOP("prompts", "{context}, {share} % full")
_JOBS = {
    "measure": QT_TRANSLATE_NOOP("job", "measurement"),
    "compare": QT_TRANSLATE_NOOP("job", "comparison"),
    "sweep-n-max": QT_TRANSLATE_NOOP("job", "search for the best n_max"),
    "sweep-context": QT_TRANSLATE_NOOP("job", "context sweep"),
    "selftest": QT_TRANSLATE_NOOP("job", "self-test"),
    "soak": QT_TRANSLATE_NOOP("job", "soak"),
    "ten": QT_TRANSLATE_NOOP("job", "ten in a row"),
    "seeds": QT_TRANSLATE_NOOP("job", "comparison over seeds"),
    "raw": QT_TRANSLATE_NOOP("job", "chat against raw text"),
    "fill": QT_TRANSLATE_NOOP("job", "fill test"),
    IMPORTED: QT_TRANSLATE_NOOP("job", "import"),
}
_DECISIONS = {
    "better": QT_TRANSLATE_NOOP("decision", "better"),
    "worse": QT_TRANSLATE_NOOP("decision", "worse"),
    "no_difference": QT_TRANSLATE_NOOP("decision", "no difference"),
    "too_few": QT_TRANSLATE_NOOP("decision", "no answer yet"),
    "mtp_not_active": QT_TRANSLATE_NOOP("decision", "MTP not active"),
}
_GAIN = re.compile(r"([\w:.-]+) \(([\w ]+), (?:([\d.]+)x|([+±-]\d+) %)\)")
_NEGATIVE = re.compile(r"(?<![\w.-])-(?=\d+(\.\d+)?( \S+ [+-]\d+)? %)")
"""A hyphen that stands for the sign of a percentage; the terminal keeps it."""
_PER_CENT = re.compile(r"(?<=\d) %")
"""A sign that must not begin a line by itself."""
_FOLDERS = {
    "settings": QT_TRANSLATE_NOOP("folders", "Settings"),
    "history": QT_TRANSLATE_NOOP("folders", "History"),
    "logs": QT_TRANSLATE_NOOP("folders", "Logs"),
    "cache": QT_TRANSLATE_NOOP("folders", "Cache, sample model"),
}
_translate = QCoreApplication.translate


def sentence(message: Message) -> str:
    """What a message says, in the language in force."""
    text = _translate(CONTEXT, text_of(message.code).sentence)
    told = render(text, _params(message))
    return _PER_CENT.sub("\u00a0%", _NEGATIVE.sub("−", told))


def hint(message: Message) -> str:
    """What can be done about it; empty where there is no advice."""
    text = text_of(message.code).hint
    return render(_translate(CONTEXT, text), _params(message)) if text else ""


def _params(message: Message) -> tuple[tuple[str, ParamValue], ...]:
    """Parameters that are themselves texts of ours (labels, reasons) are translated, all others kept."""
    if message.code in _QUOTING:
        return message.params
    return tuple(
        (name, _inner(name, value) if isinstance(value, str) else value) for name, value in message.params
    )


def _inner(name: str, value: str) -> str:
    if name in _NAMED:
        return _NAMED[name](value)
    if value in SETTINGS:
        return setting_label(value)
    for context in (CONTEXT, "settings"):
        if (found := _translate(context, value)) != value:
            return found
    return value


def _gains(where: str) -> str:
    """``code (balanced, +40 %)`` with the names of prompts and arms; earlier versions wrote ``1.40x``."""

    def named(match: re.Match[str]) -> str:
        shown = match[4] if match[3] is None else gain(float(match[3]))
        return f"{prompt_name(match[1])} ({arm_title(match[2])}, {shown} %)"

    return _GAIN.sub(named, where)


def _labels(settings: str) -> str:
    return listed(_translate("settings", label) for label in settings.split(", "))


def labelled(name: str, text: str) -> str:
    """A sentence behind the name of what it is about."""
    return QCoreApplication.translate("lists", "{name}: {text}").format(name=name, text=text)


def listed(names: Iterable[str]) -> str:
    """Names one after the other, as the language in force does it."""
    return QCoreApplication.translate("lists", ", ").join(names)


def arm_title(arm: str) -> str:
    """Name of an arm: a preset's own name, or what distinguishes the arm in its job."""
    if arm.startswith(SCREEN):
        return _translate("arms", "trial: {arm}").replace("{arm}", arm_title(arm.removeprefix(SCREEN)))
    if arm in _ARMS:
        return _translate("arms", _ARMS[arm])
    if arm[:1] == "n" and arm[1:].isdigit():
        return f"n_max {arm[1:]}"
    return _translate("presets", arm.capitalize())


def prompt_name(prompt_id: str) -> str:
    """Short name of a prompt; a depth of filled context and the user's own file by what they are."""
    if prompt_id.startswith("depth-"):
        depth = figures_text.context(int(prompt_id.removeprefix("depth-")))
        return _translate("prompts", "{depth} deep").replace("{depth}", depth)
    if prompt_id.startswith("fill-"):
        _, context, share = prompt_id.split("-")
        shown = figures_text.context(int(context))
        return _translate("prompts", _FULL).replace("{context}", shown).replace("{share}", share)
    return _translate("prompts", _PROMPTS.get(prompt_id, prompt_id.removeprefix("file:")))


def job_title(kind: str) -> str:
    """Name of a kind of job."""
    return _translate("job", _JOBS.get(kind, kind))


def local_time(utc: str) -> str:
    """A stored moment in local time; the date only when it was not today."""
    try:
        at = datetime.fromisoformat(utc).astimezone()
    except ValueError:
        return utc
    clock = QLocale().toString(QTime(at.hour, at.minute), QLocale.FormatType.ShortFormat)
    if at.date() == datetime.now(at.tzinfo).date():
        return clock
    day = QDate(at.year, at.month, at.day)
    return f"{QLocale().toString(day, QLocale.FormatType.ShortFormat)} {clock}"


def decision_word(decision: str) -> str:
    """An arm against off in one or two words."""
    return _translate("decision", _DECISIONS.get(decision, decision))


_NAMED: Mapping[str, Callable[[str], str]] = {
    **dict.fromkeys(("arm", "other", "base", "preset"), arm_title),
    **dict.fromkeys(("prompt", "gain_on", "loss_on"), prompt_name),
    "job": job_title,
    "decision": decision_word,
    "where": _gains,
    "settings": _labels,
}
"""Parameters that are names of ours, not text."""
_CHANGED = (
    QT_TRANSLATE_NOOP("messages", "a prompt"),
    QT_TRANSLATE_NOOP("messages", "the engine"),
    QT_TRANSLATE_NOOP("messages", "the model"),
)
"""What ``changed_since`` may name; listed here so that it is translated."""
_QUOTING = frozenset({"drift_differs"})
"""Messages that quote answers of a model under names that mean something else elsewhere."""


def preset_title(preset_id: str, presets: tuple[Preset, ...]) -> str:
    """Name of a preset by its id."""
    titles = {p.id: p.title for p in presets}
    return _translate("presets", titles.get(preset_id, preset_id.capitalize()))


def preset_aim(preset: Preset) -> str:
    """What a preset is for."""
    return _translate("presets", preset.aim)


def preset_words(preset: Preset) -> str:
    """What a preset changes, in short words."""
    parts = [_short(key, value) for key, value in preset.values]
    return " · ".join(part for part in parts if part) or _translate("settings", "MTP off")


def _short(key: str, value: SettingValue) -> str:
    if value is False:
        return QCoreApplication.translate("settings", "MTP off") if key == "mtp" else ""
    template = _SHORT.get(key)
    if template is None:
        return f"{setting_label(key)} {value}"
    return _translate("settings", template).replace("{value}", str(value))


def preset_flags(preset: Preset) -> str:
    """The same as llama-server's own flags, in the newest spelling; what all presets share comes last."""
    tokens: list[str] = []
    for key, value in sorted(preset.values, key=lambda pair: pair[0] == "mtp"):
        setting = SETTINGS[key]
        if value not in setting.omit:
            tokens += setting.spellings[0].tokens(value)
    return " ".join(tokens)


def setting_label(key: str) -> str:
    """Name of a setting."""
    return _translate("settings", SETTINGS[key].label)


def setting_about(key: str) -> str:
    """One sentence on a setting."""
    return _translate("settings", SETTINGS[key].about)


def workload_title(workload: Workload) -> str:
    """Name of a prompt."""
    return _translate("workloads", workload.title)


def state_word(state: ServerState) -> str:
    """The word on the state pill."""
    return _translate("states", _STATES[state])


def run_state_word(status: RunStatus) -> str:
    """How a run stands or ended."""
    return _translate("states", _RUN_STATES[status])


def phase_word(phase: str) -> str:
    """Warm-up or counted."""
    return _translate("states", _PHASES[phase])


def folder_name(key: str) -> str:
    """Name of one of the app's folders; unknown ones keep their own."""
    return _translate("folders", _FOLDERS.get(key, key))


def mtp_word(model: ModelFacts) -> str:
    """Whether the model can draft by itself."""
    if model.mtp == "embedded":
        return QCoreApplication.translate("models", "MTP head: yes")
    if model.mtp == "none" and model.sidecars:
        return QCoreApplication.translate("models", "MTP head beside it")
    if model.mtp == "sidecar":
        return QCoreApplication.translate("models", "MTP head only")
    return QCoreApplication.translate("models", "no MTP head")


_HEADS = {
    "embedded": QT_TRANSLATE_NOOP("models", "in the file"),
    "beside": QT_TRANSLATE_NOOP("models", "in a file beside it"),
    "sidecar": QT_TRANSLATE_NOOP("models", "only a head"),
    "none": QT_TRANSLATE_NOOP("models", "none"),
}


def head_word(kind: str) -> str:
    """Where a model's MTP head is: ``embedded``, ``beside``, ``sidecar`` or ``none``."""
    return _translate("models", _HEADS[kind])


def model_name(model: ModelFacts) -> str:
    """Name of a model; the sample by what it is."""
    return stored_model_name(SAMPLE_NAME if model.is_sample else model.name)


def stored_model_name(name: str) -> str:
    """Name of a model of which only the name is at hand."""
    return QCoreApplication.translate("models", "qtune sample model") if name == SAMPLE_NAME else name


def no_estimate() -> str:
    """Why a model has no memory figures."""
    return QCoreApplication.translate("models", "The header of the file says too little for an estimate.")


def request_note(record: RequestRecord) -> str:
    """How a request went, in words: its failure, why it does not count, or that it is fine."""
    if record.times.cancelled:
        return run_state_word(RunStatus.CANCELLED)
    if record.times.failure is not None:
        return sentence(record.times.failure)
    if record.marks:
        reasons = " ".join(sentence(mark) for mark in record.marks)
        return QCoreApplication.translate("states", "not counted: {reasons}").format(reasons=reasons)
    return QCoreApplication.translate("states", "ok")


def run_note(run: RunRecord) -> str:
    """How a run ended, with its reason."""
    word = run_state_word(run.status)
    if run.failure is None or run.status is RunStatus.CANCELLED:
        return word
    return labelled(word, sentence(run.failure))
