"""The diagnosis on a card: the bottleneck, what to try first, what stands out, and the presets' promises."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from qtune.core.gates import GateResult
from qtune.core.messages import Message
from qtune.core.records import MemoryFacts
from qtune.core.spill import CALM
from qtune.session.findings import ArmFindings, JobResult
from qtune.ui.state.workbench import Workbench
from qtune.ui.theme import LIGHT, Tokens
from qtune.ui.tune.preset_card import GATE_LOOKS, gate_word
from qtune.ui.widgets.parts import Note, NoteList, label
from qtune.ui.words import texts
from qtune.ui.words.verdict_words import confirmed

_SHAPES = {"first_token": "loading", "decode": "measuring", "memory": "warning", "none": "ready"}


class DiagnosisCard(QFrame):
    """Reads the workbench's newest result."""

    def __init__(self, bench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self._bench = bench
        self._tokens = LIGHT
        self.title, self.checks_title = label(factor=0.95, bold=True), label(factor=0.95, bold=True)
        self.notes, self.checks = NoteList(), NoteList()
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 11, 14, 12)
        column.setSpacing(8)
        column.addWidget(self.title)
        column.addWidget(self.notes)
        column.addWidget(self.checks_title)
        column.addWidget(self.checks)
        column.addStretch(1)

    def set_tokens(self, tokens: Tokens) -> None:
        """Take the colours in force."""
        self._tokens = tokens
        self.refresh()

    def refresh(self) -> None:
        """Show the newest result."""
        found = self._bench.found
        if found is None:
            return
        self.title.setText(self.tr("Diagnosis"))
        self.notes.show_notes(self._notes(found), self._tokens)
        checks = _checks(found)
        self.checks_title.setText(self.tr("What the presets promise"))
        self.checks_title.setVisible(bool(checks))
        self.checks.show_notes(checks, self._tokens)

    def _notes(self, found: JobResult) -> list[Note]:
        diagnosis = found.findings.diagnosis
        if diagnosis is None:
            return [Note(texts.sentence(Message.of("diagnosis_unknown")), "unknown"), *_spills(found)]
        hint = texts.hint(diagnosis.sentence)
        notes = [
            Note(
                texts.sentence(diagnosis.sentence),
                _SHAPES.get(diagnosis.bottleneck, "unknown"),
                "good" if diagnosis.bottleneck == "none" else "accent",
                self.tr("First: {advice}").format(advice=hint) if hint else "",
                strong=True,
            )
        ]
        codes = [finding.code for finding in diagnosis.findings] + [""]
        for number, finding in enumerate(diagnosis.findings):
            # Advice that several arms share stands once, behind the last of them.
            again = codes[number + 1] == finding.code
            hint = "" if again else texts.hint(finding)
            notes.append(Note(texts.sentence(finding), "warning", "warn", hint))
        return notes + _spills(found) + _drifts(found)


def _spills(found: JobResult) -> list[Note]:
    """What is known of spilled memory, where there is something to look at, and what to try."""
    told: dict[Message, list[ArmFindings]] = {}
    looks: dict[Message, tuple[str, str]] = {}
    advice: dict[Message, None] = {}
    for arm in confirmed(found):
        memory = arm.memory
        if memory is None or memory.kind != "vram" or memory.spill_reason is None:
            continue
        if memory.spill_reason.code not in CALM:
            told.setdefault(memory.spill_reason, []).append(arm)
            looks[memory.spill_reason] = _spill_look(memory)
            advice |= dict.fromkeys(memory.spill_advice)
    notes = []
    for reason, arms in told.items():
        text = texts.labelled(_names(arms), texts.sentence(reason))
        notes.append(Note(text, *looks[reason], texts.hint(reason)))
    return notes + [Note(texts.sentence(message), "info", "accent") for message in advice]


def _spill_look(memory: MemoryFacts) -> tuple[str, str]:
    if memory.spill == "yes":
        return "warning", "bad"
    # There is advice where it is likely.
    return (
        ("unknown", "warn" if memory.spill_advice else "idle")
        if memory.spill == "unknown"
        else ("info", "idle")
    )


def _drifts(found: JobResult) -> list[Note]:
    """Whether arms answer as off does; arms of which the same is true share a line."""
    told: dict[Message, list[ArmFindings]] = {}
    for arm in confirmed(found):
        message = None if arm.drift is None else arm.drift.message()
        if message is not None:
            told.setdefault(message, []).append(arm)
    notes = []
    for message, arms in told.items():
        shape, tone = ("yes", "good") if message.code == "drift_same" else ("info", "idle")
        text = texts.labelled(_names(arms), texts.sentence(message))
        notes.append(Note(text, shape, tone, texts.hint(message)))
    return notes


def _checks(found: JobResult) -> list[Note]:
    """Each promise with its state; presets of which the same is true share a line."""
    told: dict[GateResult, list[ArmFindings]] = {}
    for arm in confirmed(found):
        for gate in arm.gates:
            told.setdefault(gate, []).append(arm)
    notes = []
    for gate in sorted(told, key=lambda gate: gate.state == "unknown"):
        said = texts.labelled(gate_word(gate.state), texts.sentence(gate.reason))
        text = texts.labelled(_names(told[gate]), said)
        notes.append(Note(text, *GATE_LOOKS[gate.state], texts.hint(gate.reason)))
    return notes


def _names(arms: list[ArmFindings]) -> str:
    return texts.listed(texts.arm_title(arm.arm) for arm in arms)
