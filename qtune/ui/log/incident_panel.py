"""What failed lately, as cards above the engine's log: the cause in words, its proof, what was done."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from qtune.core.incident import Incident
from qtune.core.messages import Message
from qtune.session.incident_report import incident_report
from qtune.ui.state.workbench import Workbench
from qtune.ui.theme import LIGHT, Tokens, mono
from qtune.ui.widgets.foldable import Foldable
from qtune.ui.widgets.parts import ElidedLabel, Seal, button, empty, label, show_new
from qtune.ui.widgets.tips import set_tip
from qtune.ui.words import ladder_words, texts

HIGH = 230
"""More cards than fit into this scroll, so that the log keeps its room."""
COPIED_MS = 2000


class IncidentCard(QFrame):
    """One failure; its button copies a report that names neither people nor places."""

    def __init__(self, incident: Incident, bench: Workbench, tokens: Tokens) -> None:
        super().__init__()
        self.setObjectName("incident")
        self.incident = incident
        self._bench = bench
        self.cause = Seal(0.95, 14)
        self.when, self.what = label("muted", 0.92), ElidedLabel("muted", 0.92)
        self.sentence, self.done = label(bold=True, wrap=True), label(wrap=True)
        self.evidence = ElidedLabel()
        self.evidence.setFont(mono(self.font(), 0.9))
        self.evidence.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.copy = button()
        self.copy.clicked.connect(self._copy)
        self._said = QTimer(self)
        self._said.setSingleShot(True)
        self._said.setInterval(COPIED_MS)
        self._said.timeout.connect(self._name_copy)
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self.cause)
        head.addWidget(self.when)
        head.addWidget(self.what, 1)
        head.addWidget(self.copy)
        column = QVBoxLayout(self)
        column.setContentsMargins(10, 6, 8, 7)
        column.setSpacing(3)
        column.addLayout(head)
        column.addWidget(self.sentence)
        column.addWidget(self.evidence)
        column.addWidget(self.done)
        self._show(tokens)

    def _show(self, tokens: Tokens) -> None:
        incident = self.incident
        word = texts.sentence(Message.of("cause_" + incident.cause.value))
        self.cause.show_word(word, "crashed", "bad", tokens)
        self.when.setText(texts.local_time(incident.at_utc))
        title = ladder_words.footing_title(incident.footing, self._bench.presets)
        self.what.setText(" · ".join((title, ladder_words.file_name(incident.footing.model_path))))
        self.what.set_about(self.tr("Engine: {version}").format(version=incident.engine))
        sentence = texts.sentence(_without_line(incident))
        self.sentence.setText(sentence)
        self.evidence.setText(incident.evidence)
        self.evidence.set_about(self.tr("The line of the engine's output that proves it."))
        self.evidence.setVisible(bool(incident.evidence))
        self.done.setText(ladder_words.incident_done(incident))
        self.done.setVisible(bool(self.done.text()))
        self.setAccessibleName(texts.labelled(word, sentence))
        self._name_copy()

    def _name_copy(self) -> None:
        self.copy.setText(self.tr("Copy report"))
        self.copy.setAccessibleName(self.tr("Copy a report of this failure"))
        set_tip(
            self.copy,
            self.tr("As Markdown, in English, without user names, computer names and places of files."),
        )

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(incident_report(self.incident))
        self.copy.setText(self.tr("Copied"))
        self._said.start()


def _without_line(incident: Incident) -> Message:
    """What happened without the line that stands below it as the proof."""
    params = tuple(
        (name, "…" if value == incident.evidence and incident.evidence else value)
        for name, value in incident.message.params
    )
    return Message(incident.message.code, params)


class IncidentPanel(Foldable):
    """Hidden while nothing has failed; closed until something is to be shown."""

    def __init__(self, bench: Workbench, parent: QWidget | None = None) -> None:
        self._cards = QWidget()
        self._cards.setObjectName("inset")
        self._column = QVBoxLayout(self._cards)
        self._column.setContentsMargins(6, 0, 6, 6)
        self._column.setSpacing(6)
        self._area = area = QScrollArea()
        area.setObjectName("inset")
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setMaximumHeight(HIGH)
        area.setWidget(self._cards)
        super().__init__(area, parent)
        self._bench = bench
        self._area = area
        self._looks = LIGHT
        self.cards: list[IncidentCard] = []
        bench.way_back.incidents_changed.connect(self.refresh)

    def set_tokens(self, tokens: Tokens) -> None:
        """Take the colours in force."""
        super().set_tokens(tokens)
        self._looks = tokens
        self.refresh()

    def refresh(self) -> None:
        """Show the failures that are known."""
        incidents = self._bench.way_back.incidents
        self.setVisible(bool(incidents))
        heading = self.tr("%n failure(s), newest first", "", len(incidents))
        self.set_heading(heading)
        self._area.setAccessibleName(heading)
        empty(self._column)
        self.cards = [IncidentCard(incident, self._bench, self._looks) for incident in incidents]
        for card in self.cards:
            self._column.addWidget(card)
        show_new(self._column)
        self._column.addStretch(1)

    def show_incident(self, incident_id: str) -> None:
        """Open the panel and bring a failure into view."""
        self.head.setChecked(True)
        found = [card for card in self.cards if card.incident.id == incident_id]
        if found:
            self._column.activate()
            self._area.ensureWidgetVisible(found[0])
            found[0].copy.setFocus()
