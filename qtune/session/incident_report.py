"""One failure as Markdown to paste into a report: without user names, host names or places of files."""

from __future__ import annotations

import getpass
import platform
import re
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path, PurePosixPath, PureWindowsPath

from qtune import __version__
from qtune.core.incident import Incident
from qtune.core.messages import Message
from qtune.core.settings import ServerSettings, SettingValue, diff

_NAME = r"[^\s'\"`<>|*?:;,()\[\]{}=]"
_ENDINGS = "gguf|cpp|cu|c|h|hpp|so|dll|dylib|exe|metal|json|py|log|txt|bin"
# A slash after a colon begins a path ("load:/home/..."), two of them begin the host of a URL.
_START = r"(?<![\w/\\.~])(?:[A-Za-z]:[\\/]|\\\\|~\w*/|(?<!:)/|/(?!/))"
_PREFIX = re.compile(r"file://(?=/)|\\\\[?.]\\(?=[A-Za-z]:)", re.IGNORECASE)
"""Written before a path by some programs; without it the path begins as any other."""
_PATH = re.compile(
    # A file with a known ending may have spaces in its folders; anything else ends at the first space.
    rf"{_START}[^\n'\"`<>|*?:;,]*?[^\s/\\'\"`:]+\.(?:{_ENDINGS})(?![\w.])"
    rf"|{_START}{_NAME}+"
)
_QUOTED = re.compile(r"(['\"`])((?:[A-Za-z]:[\\/]|\\\\|~?/)[^\n]+?)\1")
_CONTROL = re.compile(r"\x1b\[[0-9;]*[A-Za-z]|[\x00-\x08\x0b-\x1f\x7f]")
_COMMON = frozenset({"root", "user", "admin", "administrator", "server", "localhost", "llama", "linux"})
"""Names too ordinary to tell anybody, which other words of a line are made of."""


def incident_report(incident: Incident) -> str:
    """The report in English, whatever the language of the window: it is for those who mend engines."""
    footing = incident.footing
    private = _private_names()

    def clean(text: str) -> str:
        return scrubbed(text, names=private, paths=(footing.model_path,))

    lines = [
        f"### {Message.of('cause_' + incident.cause.value).sentence()}",
        "",
        clean(incident.message.sentence()),
        "",
        f"- When: {incident.at_utc} (UTC)",
        f"- qtune {__version__} on {platform.system()} {platform.machine()}",
        f"- Engine: {clean(incident.engine) or 'unknown'}",
        f"- Model: {file_name(footing.model_path)}",
        f"- Preset: {footing.preset or 'custom'}",
        f"- Settings: {clean(_settings(footing.settings))}",
    ]
    if incident.action is not None:
        lines.append(f"- What was done: {clean(incident.action.sentence())}")
    if evidence := clean(incident.evidence).strip():
        fence = "`" * max(3, 1 + max(map(len, re.findall("`+", evidence)), default=0))
        lines += ["", "The line that proves it:", "", fence + "text", evidence, fence]
    return "\n".join(lines) + "\n"


def scrubbed(text: str, *, names: Iterable[str] = (), paths: Iterable[str] = ()) -> str:
    """A text without the places of files and without names of people and computers.

    Args:
        text: Whatever an engine printed.
        names: User and host names; replaced where they stand as words of their own.
        paths: Files known to be named, whatever spaces are in their folders.
    """
    text = _CONTROL.sub("", text)
    for path in paths:
        if path:
            text = text.replace(path, file_name(path))
    text = _PREFIX.sub("", text)
    text = _QUOTED.sub(lambda found: found[1] + file_name(found[2]) + found[1], text)
    text = _PATH.sub(lambda found: file_name(found[0]), text)
    for name in names:
        if name and name.casefold() not in _COMMON:
            text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "…", text, flags=re.IGNORECASE)
    return text


def file_name(path: str) -> str:
    """The last part of a path of either kind."""
    windows = "\\" in path or re.match(r"[A-Za-z]:", path)
    return (PureWindowsPath(path) if windows else PurePosixPath(path)).name or "…"


def _settings(settings: ServerSettings) -> str:
    changed = diff(ServerSettings(), settings)
    shown = {setting.key: value for setting, _default, value in changed}
    shown.setdefault("ctx_size", settings.ctx_size)
    return ", ".join(f"{key} {_plain(value)}" for key, value in sorted(shown.items()))


def _plain(value: SettingValue) -> str:
    return ("on" if value else "off") if isinstance(value, bool) else str(value)


def _private_names() -> tuple[str, ...]:
    names = [platform.node(), platform.node().split(".")[0]]
    with suppress(OSError, KeyError, ImportError):  # no entry for the user and no variable that names one
        names.append(getpass.getuser())
    with suppress(RuntimeError):
        names.append(Path.home().name)
    return tuple(dict.fromkeys(name for name in names if name))
