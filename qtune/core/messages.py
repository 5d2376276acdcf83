"""Every sentence the rooms below the UI can say, as codes with parameters.

The rooms raise and carry codes; the terminal prints the English text, the window translates it. The texts
stand in ``QT_TRANSLATE_NOOP`` calls so that lupdate finds them here without this module knowing Qt.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from qtune.core.card_texts import CARD_TEXTS
from qtune.core.change_texts import CHANGE_TEXTS
from qtune.core.discovery_texts import DISCOVERY_TEXTS
from qtune.core.export_texts import EXPORT_TEXTS
from qtune.core.fill_texts import FILL_TEXTS
from qtune.core.habit_texts import HABIT_TEXTS
from qtune.core.history_texts import HISTORY_TEXTS
from qtune.core.memory_texts import MEMORY_TEXTS
from qtune.core.method_texts import METHOD_TEXTS
from qtune.core.recovery_texts import RECOVERY_TEXTS
from qtune.core.shared_history_texts import SHARED_HISTORY_TEXTS
from qtune.core.spill_texts import SPILL_TEXTS
from qtune.core.text import QT_TRANSLATE_NOOP, Text
from qtune.core.window_texts import WINDOW_TEXTS

__all__ = ["CONTEXT", "QT_TRANSLATE_NOOP", "TEXTS", "Message", "ParamValue", "Text", "render", "text_of"]

ParamValue = str | int | float | None

CONTEXT = "messages"
"""Translation context of all texts in this module."""


@dataclass(frozen=True, slots=True)
class Message:
    """A code with its parameters: comparable, storable, translatable later.

    Attributes:
        code: Key of ``TEXTS``.
        params: Name and value of each placeholder, in order of naming.
    """

    code: str
    params: tuple[tuple[str, ParamValue], ...] = ()

    @classmethod
    def of(cls, code: str, /, **params: ParamValue) -> Message:
        """Build a message; an unknown code is kept and shown as such, so that nothing is ever swallowed."""
        return cls(code, tuple(params.items()))

    def sentence(self) -> str:
        """English sentence with the parameters filled in."""
        return render(text_of(self.code).sentence, self.params)

    def hint(self) -> str:
        """English advice, empty where there is none."""
        return render(text_of(self.code).hint, self.params)


def text_of(code: str) -> Text:
    """Text of a code; codes written by a newer version are shown by their name."""
    return TEXTS.get(code) or Text(code.replace("_", " "))


def gain(ratio: float) -> str:
    """How much more a ratio is than 1, in whole percent with its sign and without the unit."""
    points = round((ratio - 1) * 100)
    return f"{points:+d}" if points else "±0"


class _Blank(dict[str, object]):
    """``{x_gain}`` shows the ratio ``x`` as a gain: what is stored stays the ratio."""

    def __missing__(self, key: str) -> str:
        value = self.get(key.removesuffix("_gain"))
        if not key.endswith("_gain") or not isinstance(value, str | float):
            return "?"
        try:
            return gain(float(value))
        except ValueError:
            return "?"


def render(template: str, params: Mapping[str, ParamValue] | tuple[tuple[str, ParamValue], ...]) -> str:
    """Fill ``{name}`` placeholders; a missing one shows ``?`` rather than failing inside an error path."""
    return template.format_map(_Blank(dict(params)))


TEXTS: dict[str, Text] = {
    # -- files and folders ---------------------------------------------------------------------------------
    "folder_not_writable": Text(
        QT_TRANSLATE_NOOP("messages", "The folder {path} cannot be written: {reason}."),
        QT_TRANSLATE_NOOP(
            "messages", "Choose another folder with --base-dir or QTUNE_HOME, or free some space."
        ),
    ),
    "resources_missing": Text(
        QT_TRANSLATE_NOOP("messages", "This installation of qtune is incomplete: {path} lacks its data."),
        QT_TRANSLATE_NOOP("messages", "Install qtune again."),
    ),
    "settings_file_damaged": Text(
        QT_TRANSLATE_NOOP("messages", "The settings file was damaged and has been set aside as {path}."),
        QT_TRANSLATE_NOOP(
            "messages", "The copy from before is in force if there is one; your history is not touched."
        ),
    ),
    "settings_file_unreadable": Text(
        QT_TRANSLATE_NOOP("messages", "The settings file {path} cannot be read: {reason}."),
        QT_TRANSLATE_NOOP("messages", "The defaults are in force; make the file readable and start again."),
    ),
    # -- models --------------------------------------------------------------------------------------------
    "model_missing": Text(
        QT_TRANSLATE_NOOP("messages", "There is no file at {path}."),
        QT_TRANSLATE_NOOP("messages", "Choose the model again; it may have been moved or renamed."),
    ),
    "model_is_folder": Text(
        QT_TRANSLATE_NOOP("messages", "{path} is a folder, not a model file."),
        QT_TRANSLATE_NOOP("messages", "Choose a file that ends in .gguf inside it."),
    ),
    "model_not_readable": Text(
        QT_TRANSLATE_NOOP("messages", "The file {path} cannot be read: {reason}."),
        QT_TRANSLATE_NOOP("messages", "Check its permissions or copy it to a folder of yours."),
    ),
    "model_not_gguf": Text(
        QT_TRANSLATE_NOOP("messages", "{path} is not a GGUF model file: {reason}."),
        QT_TRANSLATE_NOOP(
            "messages", "llama-server needs a file in GGUF format; choose one that ends in .gguf."
        ),
    ),
    "model_truncated": Text(
        QT_TRANSLATE_NOOP("messages", "{path} is incomplete: {reason}."),
        QT_TRANSLATE_NOOP("messages", "The download probably broke off; fetch the file again."),
    ),
    "model_damaged": Text(
        QT_TRANSLATE_NOOP("messages", "The header of {path} cannot be used: {reason}."),
        QT_TRANSLATE_NOOP("messages", "Fetch the file again, or choose another one."),
    ),
    "model_not_llm": Text(
        QT_TRANSLATE_NOOP("messages", "{path} is not a language model but something else ({kind})."),
        QT_TRANSLATE_NOOP("messages", "Choose the main model file."),
    ),
    "model_search_cut": Text(
        QT_TRANSLATE_NOOP("messages", "The search for models ended after {seconds} s; there may be more."),
        QT_TRANSLATE_NOOP("messages", "Choose a file yourself if yours is not in the list."),
    ),
    "model_is_sidecar": Text(
        QT_TRANSLATE_NOOP("messages", "{path} holds only an MTP head, not a whole model."),
        QT_TRANSLATE_NOOP("messages", "Choose the main model file; the head is used beside it."),
    ),
    "model_without_mtp": Text(
        QT_TRANSLATE_NOOP("messages", "{path} has no MTP head, so MTP cannot be switched on."),
        QT_TRANSLATE_NOOP(
            "messages", "Choose the preset Off, or a GGUF of this model that kept its MTP head."
        ),
    ),
    "sample_not_written": Text(
        QT_TRANSLATE_NOOP("messages", "The sample model could not be written to {path}: {reason}."),
        QT_TRANSLATE_NOOP("messages", "About 300 MB of free space are needed there."),
    ),
    # -- engines -------------------------------------------------------------------------------------------
    "engine_not_found": Text(
        QT_TRANSLATE_NOOP("messages", "No llama-server was found."),
        QT_TRANSLATE_NOOP(
            "messages",
            'Choose the program yourself, or install the bundled engine: pip install "qtune[engine]".',
        ),
    ),
    "engine_missing": Text(
        QT_TRANSLATE_NOOP("messages", "There is no program at {path}."),
        QT_TRANSLATE_NOOP("messages", "Choose llama-server again; it may have been moved."),
    ),
    "engine_is_folder": Text(
        QT_TRANSLATE_NOOP("messages", "{path} is a folder without a llama-server in it."),
        QT_TRANSLATE_NOOP("messages", "Choose the program llama-server itself."),
    ),
    "engine_not_started": Text(
        QT_TRANSLATE_NOOP("messages", "{path} could not be started: {reason}."),
        QT_TRANSLATE_NOOP("messages", "Check that it is a program for this computer and may be executed."),
    ),
    "engine_foreign": Text(
        QT_TRANSLATE_NOOP("messages", "{path} does not answer like llama-server."),
        QT_TRANSLATE_NOOP("messages", "Choose the program llama-server of llama.cpp, not another tool."),
    ),
    "engine_probe_timeout": Text(
        QT_TRANSLATE_NOOP("messages", "{path} gave no answer within {seconds} s."),
        QT_TRANSLATE_NOOP("messages", "Choose the program llama-server of llama.cpp, not another tool."),
    ),
    "engine_devices_unknown": Text(
        QT_TRANSLATE_NOOP("messages", "{path} did not list its devices within {seconds} s."),
        QT_TRANSLATE_NOOP("messages", "The driver of the graphics card may hang; restart the computer."),
    ),
    "engine_without_mtp": Text(
        QT_TRANSLATE_NOOP("messages", "This llama-server ({version}) does not know MTP."),
        QT_TRANSLATE_NOOP("messages", "Use a build from June 2026 or later, or the preset Off."),
    ),
    "bundled_engine_missing": Text(
        QT_TRANSLATE_NOOP("messages", "The bundled engine is not installed."),
        QT_TRANSLATE_NOOP("messages", 'Install it with: pip install "qtune[engine]".'),
    ),
    "setting_dropped": Text(
        QT_TRANSLATE_NOOP("messages", "This llama-server has no option for {setting}; it was left out."),
    ),
    "setting_translated": Text(
        QT_TRANSLATE_NOOP("messages", "{setting} is written as {spelling} for this llama-server."),
    ),
    # -- settings ------------------------------------------------------------------------------------------
    "setting_invalid": Text(
        QT_TRANSLATE_NOOP("messages", "{value} is not possible for {setting}; allowed is {allowed}."),
        QT_TRANSLATE_NOOP("messages", "Give one of the allowed values, or leave the setting out."),
    ),
    "setting_unknown": Text(
        QT_TRANSLATE_NOOP("messages", "There is no setting called {setting}."),
        QT_TRANSLATE_NOOP("messages", "Known settings: {known}."),
    ),
    "setting_fixed_by_preset": Text(
        QT_TRANSLATE_NOOP("messages", "{setting} cannot be set here: the preset {preset} fixes it itself."),
        QT_TRANSLATE_NOOP("messages", "Leave it out, or use another preset."),
    ),
    "setting_fixed_by_sweep": Text(
        QT_TRANSLATE_NOOP("messages", "{setting} cannot be set here: the sweep decides it itself."),
        QT_TRANSLATE_NOOP("messages", "Leave it out."),
    ),
    "ubatch_too_small": Text(
        QT_TRANSLATE_NOOP("messages", "The physical batch ({ubatch}) must be larger than n_max ({n_max})."),
        QT_TRANSLATE_NOOP("messages", "Raise ubatch or lower n_max."),
    ),
    "n_min_above_n_max": Text(
        QT_TRANSLATE_NOOP(
            "messages", "n_min ({n_min}) is above n_max ({n_max}), so nothing would ever be drafted."
        ),
    ),
    "quantised_v_needs_flash": Text(
        QT_TRANSLATE_NOOP("messages", "A quantised V cache needs flash attention, which is switched off."),
    ),
    "preset_unknown": Text(
        QT_TRANSLATE_NOOP("messages", "There is no preset called {preset}."),
        QT_TRANSLATE_NOOP("messages", "Known presets: {known}."),
    ),
    "prompt_unknown": Text(
        QT_TRANSLATE_NOOP("messages", "There is no prompt called {prompt}."),
        QT_TRANSLATE_NOOP("messages", "Known prompts: {known}; or give a text file as @FILE."),
    ),
    "prompt_file_unreadable": Text(
        QT_TRANSLATE_NOOP("messages", "The prompt file {path} cannot be read: {reason}."),
        QT_TRANSLATE_NOOP("messages", "Give a UTF-8 text file."),
    ),
    # -- endings of an engine ------------------------------------------------------------------------------
    "ended_by_request": Text(QT_TRANSLATE_NOOP("messages", "The engine was stopped.")),
    "ended_exit": Text(
        QT_TRANSLATE_NOOP("messages", "The engine ended by itself with status {status}: {line}"),
        QT_TRANSLATE_NOOP("messages", "The engine log holds its last words."),
    ),
    "ended_exit_silent": Text(
        QT_TRANSLATE_NOOP("messages", "The engine ended by itself with status {status} and gave no reason."),
        QT_TRANSLATE_NOOP("messages", "Try the preset Off, or another build of llama-server."),
    ),
    "ended_signal": Text(
        QT_TRANSLATE_NOOP("messages", "The engine crashed with {signal}: {line}"),
        QT_TRANSLATE_NOOP("messages", "The engine log holds its last words."),
    ),
    "ended_signal_silent": Text(
        QT_TRANSLATE_NOOP("messages", "The engine crashed with {signal} and gave no reason."),
        QT_TRANSLATE_NOOP("messages", "Try the preset Off, or another build of llama-server."),
    ),
    "ended_killed": Text(
        QT_TRANSLATE_NOOP("messages", "The engine was killed from outside."),
        QT_TRANSLATE_NOOP(
            "messages", "The system may have run out of memory; try a smaller context or model."
        ),
    ),
    "ended_from_outside": Text(
        QT_TRANSLATE_NOOP("messages", "The engine was ended from outside ({signal})."),
    ),
    "ended_out_of_memory": Text(
        QT_TRANSLATE_NOOP("messages", "The engine ran out of memory: {line}"),
        QT_TRANSLATE_NOOP("messages", "Try MTP off, a smaller context, or a smaller quantisation."),
    ),
    "ended_bad_argument": Text(
        QT_TRANSLATE_NOOP("messages", "The engine refused an argument: {line}"),
        QT_TRANSLATE_NOOP("messages", "This build may be too old or too new for that setting."),
    ),
    "ended_port_taken": Text(
        QT_TRANSLATE_NOOP("messages", "Port {port} is taken by another program."),
        QT_TRANSLATE_NOOP("messages", "Start again: another port will be chosen."),
    ),
    "ended_bad_model": Text(
        QT_TRANSLATE_NOOP("messages", "The engine could not load the model: {line}"),
        QT_TRANSLATE_NOOP("messages", "The file may be damaged, or too new for this build."),
    ),
    "ended_mtp_missing": Text(
        QT_TRANSLATE_NOOP("messages", "The model has no usable MTP head: {line}"),
        QT_TRANSLATE_NOOP("messages", "Choose the preset Off, or a file that kept its MTP head."),
    ),
    # -- starting and reading back -------------------------------------------------------------------------
    "start_timeout": Text(
        QT_TRANSLATE_NOOP("messages", "The engine was not ready after {seconds} s."),
        QT_TRANSLATE_NOOP("messages", "A large model on a slow disk can take long; look at the engine log."),
    ),
    "start_cancelled": Text(QT_TRANSLATE_NOOP("messages", "The start was cancelled.")),
    "foreign_server": Text(
        QT_TRANSLATE_NOOP("messages", "Another server answers on port {port}; it was left alone."),
        QT_TRANSLATE_NOOP("messages", "Start again: another port will be chosen."),
    ),
    "first_completion_failed": Text(
        QT_TRANSLATE_NOOP("messages", "The engine came up but could not answer: {reason}"),
        QT_TRANSLATE_NOOP("messages", "The engine log holds the details."),
    ),
    "server_busy": Text(
        QT_TRANSLATE_NOOP("messages", "A server is already running or starting."),
        QT_TRANSLATE_NOOP("messages", "Stop it first."),
    ),
    "server_not_running": Text(
        QT_TRANSLATE_NOOP("messages", "No server is running."),
        QT_TRANSLATE_NOOP("messages", "Start it first."),
    ),
    "not_effective": Text(
        QT_TRANSLATE_NOOP("messages", "{setting}: asked for {requested}, the engine runs with {effective}."),
    ),
    "model_not_effective": Text(
        QT_TRANSLATE_NOOP("messages", "The engine runs with the model {effective} instead of {requested}."),
    ),
    "config_file_in_use": Text(
        QT_TRANSLATE_NOOP("messages", "The engine also took settings from {path}."),
        QT_TRANSLATE_NOOP("messages", "What qtune does not set itself may come from there."),
    ),
    "context_reduced": Text(
        QT_TRANSLATE_NOOP(
            "messages", "The engine reduced the context from {requested} to {effective} tokens."
        ),
    ),
    "synthetic_acceptance": Text(
        QT_TRANSLATE_NOOP("messages", "The engine runs with synthetic acceptance; its figures are not real."),
        QT_TRANSLATE_NOOP("messages", "Remove the option --spec-synth from llama.cpp's config file."),
    ),
    "mtp_not_speculating": Text(
        QT_TRANSLATE_NOOP("messages", "MTP was asked for but is not active: the server does not speculate."),
        QT_TRANSLATE_NOOP("messages", "The figures are those of a server without MTP; its log says why."),
    ),
    "mtp_no_drafts": Text(
        QT_TRANSLATE_NOOP("messages", "MTP was asked for but is not active: no token was drafted."),
        QT_TRANSLATE_NOOP("messages", "The figures are those of a server without MTP; its log says why."),
    ),
    # -- requests ------------------------------------------------------------------------------------------
    "request_refused": Text(
        QT_TRANSLATE_NOOP("messages", "The server refused the request ({status}): {reason}"),
    ),
    "request_failed_midway": Text(
        QT_TRANSLATE_NOOP("messages", "The server reported an error in mid-answer: {reason}"),
    ),
    "connection_lost": Text(
        QT_TRANSLATE_NOOP("messages", "The connection to the server broke: {reason}"),
    ),
    "stream_cut": Text(QT_TRANSLATE_NOOP("messages", "The answer stopped before its end was announced.")),
    "stream_silent": Text(
        QT_TRANSLATE_NOOP("messages", "The server sent nothing for {seconds} s."),
        QT_TRANSLATE_NOOP("messages", "It may be stuck; stop it and start again."),
    ),
    "answer_failed": Text(QT_TRANSLATE_NOOP("messages", "Every request failed.")),
    "answer_empty": Text(QT_TRANSLATE_NOOP("messages", "The answer was empty.")),
    "reply_not_understood": Text(
        QT_TRANSLATE_NOOP("messages", "The server sent something that is not the OpenAI protocol: {reason}"),
    ),
    "request_cancelled": Text(QT_TRANSLATE_NOOP("messages", "The request was cancelled.")),
    # -- progress of a job -------------------------------------------------------------------------------
    "doing_load": Text(QT_TRANSLATE_NOOP("messages", "{arm}: loading the model")),
    "doing_warmup": Text(QT_TRANSLATE_NOOP("messages", "{arm}: warming up, request {number}")),
    "doing_counted": Text(QT_TRANSLATE_NOOP("messages", "{arm}: request {number} of {runs}")),
    "doing_stop": Text(QT_TRANSLATE_NOOP("messages", "{arm}: stopping the engine")),
    "not_resumable": Text(
        QT_TRANSLATE_NOOP(
            "messages", "This experiment cannot be resumed: what was asked is not in its record."
        ),
        QT_TRANSLATE_NOOP("messages", "Start it again; its requests stay in the history."),
    ),
    "changed_since": Text(
        QT_TRANSLATE_NOOP("messages", "This experiment cannot be resumed: {what} has changed since."),
        QT_TRANSLATE_NOOP("messages", "Start it again; its requests stay in the history."),
    ),
    "depth_too_large": Text(
        QT_TRANSLATE_NOOP(
            "messages", "A depth of {depth} tokens with its answer exceeds the model's context of {trained}."
        ),
        QT_TRANSLATE_NOOP("messages", "Give smaller depths."),
    ),
    "preflight_other_server": Text(
        QT_TRANSLATE_NOOP("messages", "Another llama-server is running; it may slow what is measured."),
        QT_TRANSLATE_NOOP("messages", "Stop it for a fair comparison."),
    ),
    "preflight_battery": Text(
        QT_TRANSLATE_NOOP("messages", "The computer runs on battery, which lowers and varies its speed."),
        QT_TRANSLATE_NOOP("messages", "Plug it in."),
    ),
    "preflight_busy": Text(
        QT_TRANSLATE_NOOP("messages", "Other programs keep the processor busy ({percent} %)."),
        QT_TRANSLATE_NOOP("messages", "Close what is not needed, or expect wide intervals."),
    ),
    "preflight_hot": Text(
        QT_TRANSLATE_NOOP("messages", "The card is already at {celsius} °C."),
        QT_TRANSLATE_NOOP("messages", "Let it cool down, or the first arms look faster than the last."),
    ),
    "nothing_to_resume": Text(QT_TRANSLATE_NOOP("messages", "No unfinished experiment was found.")),
    "experiment_unfinished": Text(
        QT_TRANSLATE_NOOP("messages", "Not finished: the {job} of {date}."),
        QT_TRANSLATE_NOOP("messages", "Going on measures only what is still missing."),
    ),
    "job_busy": Text(
        QT_TRANSLATE_NOOP("messages", "A measurement is already in progress."),
        QT_TRANSLATE_NOOP("messages", "Wait for it or cancel it first."),
    ),
    # -- marks on a request --------------------------------------------------------------------------------
    "mark_cached": Text(
        QT_TRANSLATE_NOOP(
            "messages", "{tokens} prompt tokens came from the cache, so the first token is too early."
        ),
    ),
    "mark_short": Text(
        QT_TRANSLATE_NOOP("messages", "The answer has only {tokens} tokens; too short for a rate.")
    ),
    "mark_unverified": Text(QT_TRANSLATE_NOOP("messages", "The settings in force could not be verified.")),
    "mark_no_server_timings": Text(
        QT_TRANSLATE_NOOP("messages", "The server gave no timings; the client's own clock is used."),
    ),
    # -- cards ---------------------------------------------------------------------------------------------
    "no_nvidia_gpu": Text(QT_TRANSLATE_NOOP("messages", "No NVIDIA GPU found: {reason}.")),
    # -- advice of the doctor ----------------------------------------------------------------------------
    "advice_only_bundled": Text(
        QT_TRANSLATE_NOOP("messages", "Only the bundled engine was found; it runs on the processor."),
        QT_TRANSLATE_NOOP(
            "messages", "To measure your card, choose a llama-server built for it with --engine."
        ),
    ),
    "advice_engine_without_card": Text(
        QT_TRANSLATE_NOOP("messages", "No engine found here can use the graphics card."),
        QT_TRANSLATE_NOOP("messages", "Choose a llama-server built for CUDA, ROCm or Vulkan with --engine."),
    ),
    "advice_no_model": Text(
        QT_TRANSLATE_NOOP("messages", "No model of yours was found in the usual folders."),
        QT_TRANSLATE_NOOP("messages", "Give one with --model FILE, or try the sample model with --sample."),
    ),
    "advice_no_mtp_model": Text(
        QT_TRANSLATE_NOOP("messages", "None of the models found has an MTP head."),
        QT_TRANSLATE_NOOP(
            "messages", "Look for a GGUF of Qwen3.5, Qwen3.6 or another MTP model that kept its head."
        ),
    ),
    # -- history -------------------------------------------------------------------------------------------
    "history_not_writable": Text(
        QT_TRANSLATE_NOOP("messages", "The history {path} cannot be written: {reason}."),
        QT_TRANSLATE_NOOP("messages", "Nothing is measured that could not be kept; choose another folder."),
    ),
    "history_newer": Text(
        QT_TRANSLATE_NOOP("messages", "The history {path} was written by a newer qtune (schema {revision})."),
        QT_TRANSLATE_NOOP("messages", "Update qtune; nothing was touched."),
    ),
    "history_damaged": Text(
        QT_TRANSLATE_NOOP("messages", "The history was damaged and has been set aside as {path}."),
        QT_TRANSLATE_NOOP("messages", "A new one was begun; the damaged file is kept for rescue."),
    ),
    "history_foreign": Text(
        QT_TRANSLATE_NOOP("messages", "{path} is a database of another program."),
        QT_TRANSLATE_NOOP("messages", "Choose another folder; the file was not touched."),
    ),
    "history_not_readable": Text(
        QT_TRANSLATE_NOOP("messages", "The history {path} cannot be read: {reason}."),
        QT_TRANSLATE_NOOP("messages", "Restart qtune: a damaged history is set aside, never deleted."),
    ),
    "history_on_share": Text(
        QT_TRANSLATE_NOOP("messages", "The history {path} is on a network share, where it is slower."),
        QT_TRANSLATE_NOOP("messages", "Use it from one computer at a time, or choose a local folder."),
    ),
    "runs_interrupted": Text(
        QT_TRANSLATE_NOOP("messages", "Unfinished runs found and marked interrupted: {count}."),
        QT_TRANSLATE_NOOP("messages", "Their finished requests are kept."),
    ),
    "app_ended": Text(QT_TRANSLATE_NOOP("messages", "qtune ended while this run was being measured.")),
    "measure_cancelled": Text(
        QT_TRANSLATE_NOOP("messages", "The measurement was cancelled; what was measured is kept."),
    ),
    # -- verdicts ----------------------------------------------------------------------------------------
    "verdict_mtp_not_active": Text(
        QT_TRANSLATE_NOOP("messages", "MTP was not active in {arm}, so nothing can be said about it."),
    ),
    "verdict_nothing_counted": Text(
        QT_TRANSLATE_NOOP("messages", "Nothing can be said: no request of {arm} counted. {reason}"),
        QT_TRANSLATE_NOOP("messages", "Try another prompt, or a longer answer."),
    ),
    "verdict_nothing_to_compare": Text(
        QT_TRANSLATE_NOOP("messages", "Nothing to compare: measure off and one other preset together."),
    ),
    "verdict_indication": Text(
        QT_TRANSLATE_NOOP(
            "messages",
            "Indication: {arm} decodes {ratio_gain} % against off ({n} requests each); too few for a"
            " verdict.",
        ),
    ),
    "reason_not_interleaved": Text(
        QT_TRANSLATE_NOOP(
            "messages",
            "Each preset was started once and measured in turn, so drift of the machine counts in.",
        ),
    ),
    "seed_row": Text(
        QT_TRANSLATE_NOOP("messages", "Seed {seed}: {arm} {ratio_gain} % against off, {rate} accepted.")
    ),
    "raw_row": Text(
        QT_TRANSLATE_NOOP(
            "messages",
            "Without the chat template the same text decodes at {raw} instead of {chat} tok/s, "
            "with {raw_rate} instead of {chat_rate} accepted.",
        ),
        QT_TRANSLATE_NOOP(
            "messages", "Chat programs use the template, so only figures with it say what you will see."
        ),
    ),
    "sample_says_nothing": Text(
        QT_TRANSLATE_NOOP(
            "messages", "This is the sample model: its speed says nothing about your graphics card."
        ),
    ),
    # -- the program itself --------------------------------------------------------------------------------
    "closing": Text(
        QT_TRANSLATE_NOOP("messages", "Closing: the engine is being stopped, and what was measured is kept."),
    ),
    "internal_fault": Text(
        QT_TRANSLATE_NOOP("messages", "Something in qtune itself went wrong ({kind})."),
        QT_TRANSLATE_NOOP("messages", "The details are in the log file: {path}"),
    ),
    "already_open": Text(
        QT_TRANSLATE_NOOP("messages", "qtune is already open on these folders but does not answer."),
        QT_TRANSLATE_NOOP("messages", "Close it, or choose other folders with --base-dir."),
    ),
    "no_display": Text(
        QT_TRANSLATE_NOOP("messages", "There is no display, so no window can be opened."),
        QT_TRANSLATE_NOOP("messages", "Use the terminal, for example: qtune measure --sample"),
    ),
    "qt_missing_libraries": Text(
        QT_TRANSLATE_NOOP("messages", "The window cannot be opened: {reason}."),
        QT_TRANSLATE_NOOP("messages", "On Debian or Ubuntu: sudo apt-get install {packages}"),
    ),
}
TEXTS.update(METHOD_TEXTS)
TEXTS.update(CARD_TEXTS)
TEXTS.update(HISTORY_TEXTS)
TEXTS.update(CHANGE_TEXTS)
TEXTS.update(MEMORY_TEXTS)
TEXTS.update(SPILL_TEXTS)
TEXTS.update(SHARED_HISTORY_TEXTS)
TEXTS.update(WINDOW_TEXTS)
TEXTS.update(RECOVERY_TEXTS)
TEXTS.update(EXPORT_TEXTS)
TEXTS.update(FILL_TEXTS)
TEXTS.update(HABIT_TEXTS)
TEXTS.update(DISCOVERY_TEXTS)
