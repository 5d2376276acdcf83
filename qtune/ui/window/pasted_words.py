"""Words for a pasted command: why a part of it becomes no setting."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QCoreApplication

from qtune.core.messages import QT_TRANSLATE_NOOP
from qtune.core.settings import SETTINGS

_ADDRESS: Final = QT_TRANSLATE_NOOP("pasted", "qtune serves on this computer alone and takes a free port.")
_KEY: Final = QT_TRANSLATE_NOOP("pasted", "qtune makes a new key at every start; this one was not read.")
_OURS: Final = QT_TRANSLATE_NOOP("pasted", "qtune decides this itself at every start.")
_SAMPLING: Final = QT_TRANSLATE_NOOP("pasted", "Sampling belongs to each request, not to the server.")
_REFUSED: Final = QT_TRANSLATE_NOOP("pasted", "Its value was not taken; see above.")
_OTHER: Final = QT_TRANSLATE_NOOP("pasted", "No flag of llama-server that qtune reads here.")
_UNKNOWN: Final = QT_TRANSLATE_NOOP("pasted", "qtune has no setting for it; the engine's default holds.")

_REASONS: Final[dict[str, str]] = (
    dict.fromkeys(("--host", "--port"), _ADDRESS)
    | dict.fromkeys(("--api-key", "--api-key-file"), _KEY)
    | dict.fromkeys(
        (
            "--alias", "-a", "--fit", "-fit", "--metrics", "--slots", "--no-slots", "--verbosity", "-lv",
            "--log-verbosity", "-v", "--verbose", "--log-colors", "--log-file", "--log-disable",
            "--no-mmproj", "--no-webui", "--no-ui", "--device", "-dev",
        ),
        _OURS,
    )
    | dict.fromkeys(
        (
            "--temp", "--temperature", "--top-k", "--top-p", "--min-p", "--seed", "-s", "--repeat-penalty",
            "--presence-penalty", "--frequency-penalty", "--samplers", "-n", "--predict", "--n-predict",
        ),
        _SAMPLING,
    )
)  # fmt: skip
"""Reasons by flag."""
_KNOWN: Final = frozenset(
    spelling.flag for setting in SETTINGS.values() for spelling in (*setting.spellings, *setting.aliases)
)
"""Flags that are settings: what is left of one was refused for its value."""


def reason(ignored: str) -> str:
    """Why a part of the command becomes no setting."""
    flag = ignored.split(" ", 1)[0].split("=", 1)[0]
    if flag in _REASONS:
        why = _REASONS[flag]
    elif flag in _KNOWN:
        why = _REFUSED
    else:
        why = _UNKNOWN if flag.startswith("-") else _OTHER
    return QCoreApplication.translate("pasted", why)
