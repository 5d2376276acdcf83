"""Labels of the HTML report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from qtune.core.text import QT_TRANSLATE_NOOP

REPORT_CONTEXT: Final = "report"
"""Translation context of these texts."""

_N = QT_TRANSLATE_NOOP
_LABELS = (
    (
        "measured",
        _N(
            "report",
            "Measured on {date} (UTC) with qtune; "
            "arms: {arms}, starts: {runs}, counted requests: {requests}.",
        ),
    ),
    ("decode", _N("report", "Decode speed by arm")),
    (
        "decode_about",
        _N(
            "report",
            "Median of the counted requests in tokens/s; the line spans the lowest and highest.",
        ),
    ),
    ("gain", _N("report", "Gain over off")),
    (
        "gain_about",
        _N(
            "report",
            "Per cent more tokens/s than off; the line is the 95 % interval where there is one.",
        ),
    ),
    ("course", _N("report", "Decode speed over the requests")),
    (
        "course_about",
        _N(
            "report",
            "Each counted request of all starts in order; a gap is a request that does not count.",
        ),
    ),
    ("request", _N("report", "request")),
    ("arms", _N("report", "Arms")),
    ("arm", _N("report", "Arm")),
    ("decode_rate", _N("report", "Decode, tok/s")),
    ("ttft", _N("report", "First token, ms")),
    ("prefill", _N("report", "Prompt, tok/s")),
    ("total", _N("report", "Whole request, ms")),
    ("acceptance", _N("report", "Acceptance")),
    ("length", _N("report", "Tokens per round")),
    ("counted", _N("report", "Requests")),
    ("memory", _N("report", "Memory: before → loaded → peak / total")),
    ("spill", _N("report", "Spilled into main memory")),
    ("spill_yes", _N("report", "yes")),
    ("spill_no", _N("report", "no")),
    ("spill_unknown", _N("report", "unknown")),
    ("workloads", _N("report", "Gain by workload")),
    ("workload", _N("report", "Workload")),
    ("decision", _N("report", "Decision")),
    ("settings", _N("report", "Settings")),
    ("settings_differ", _N("report", "Settings that differ")),
    ("settings_equal", _N("report", "Settings of all arms")),
    ("to", _N("report", "to")),
    ("on", _N("report", "on")),
    ("off", _N("report", "off")),
    ("setting", _N("report", "Setting")),
    ("setup", _N("report", "Set-up")),
    ("model", _N("report", "Model")),
    ("engine", _N("report", "Engine")),
    ("card", _N("report", "Card")),
    ("system", _N("report", "System")),
    ("starts", _N("report", "Starts")),
    ("arm_and_start", _N("report", "Arm and start")),
    ("begun", _N("report", "Begun")),
    ("status", _N("report", "Status")),
    ("loading", _N("report", "Load s")),
    ("outlier", _N("report", "marked as an outlier")),
    ("engine_chooses", _N("report", "left to the engine")),
    (
        "apart",
        _N("report", "Several experiments, each by itself: what was measured apart is not held together."),
    ),
    (
        "footer",
        _N(
            "report",
            "Medians with the range seen. Every figure follows from the raw record of each request, "
            "which qtune exports as JSON.",
        ),
    ),
)
REPORT_LABELS: Final[Mapping[str, str]] = dict(_LABELS)
"""Texts of the page by key."""

_DECISIONS = (
    ("better", _N("report", "better")),
    ("worse", _N("report", "worse")),
    ("no_difference", _N("report", "no difference")),
    ("too_few", _N("report", "too few requests to tell")),
    ("mtp_not_active", _N("report", "MTP was not active")),
)
DECISION_WORDS: Final[Mapping[str, str]] = dict(_DECISIONS)
"""Decisions of a verdict in a few words."""
