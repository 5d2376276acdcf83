"""Settings of the history: in a file of this computer, or in a database that others use too."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QLineEdit, QWidget

from qtune.core.errors import KnownError
from qtune.core.messages import Message
from qtune.session.history_desk import HistoryDesk
from qtune.session.history_place import HistoryPlaces
from qtune.ui.bridge import Bridge
from qtune.ui.settings.section import Section
from qtune.ui.settings.upkeep import HistoryUpkeep
from qtune.ui.widgets.parts import ElidedLabel, button, label, set_tone
from qtune.ui.widgets.tips import set_tip
from qtune.ui.words import texts

FILE, DATABASE = "file", "database"
EXAMPLE = "postgresql://name@server/database"


class HistorySection(Section):
    """Shows where the history is; another place is tried first and holds from the next start on."""

    def __init__(self, places: HistoryPlaces, desk: HistoryDesk, bridge: Bridge) -> None:
        super().__init__()
        self._places = places
        self._bridge = bridge
        self._names: dict[str, QLabel] = {
            key: label("muted") for key in ("now", "kept", "address", "password", "tools", "copies")
        }
        self.now = ElidedLabel()
        self.kept = QComboBox()
        self.kept.setMaximumWidth(320)
        self.address, self.password = QLineEdit(), QLineEdit()
        self.address.setPlaceholderText(EXAMPLE)
        self.password.setEchoMode(QLineEdit.EchoMode.Password)
        self.attempt, self.use = button(), button("primary")
        self.said = label(wrap=True)
        self._tools = QWidget()
        self.upkeep = HistoryUpkeep(desk, bridge)
        self._about = label("muted", 0.92, wrap=True)
        self._busy = False
        self._told: tuple[Message, str] | None = None
        self._of_database = (
            self._names["address"], self.address, self._names["password"], self.password, self.attempt,
        )  # fmt: skip
        self._lay_out()
        self.kept.activated.connect(lambda _index: self._on_kept())
        self.address.editingFinished.connect(self._take_apart)
        self.address.textChanged.connect(lambda _text: self._show_buttons())
        self.address.returnPressed.connect(self._try)
        self.password.returnPressed.connect(self._try)
        self.attempt.clicked.connect(self._try)
        self.use.clicked.connect(self._use)

    def _lay_out(self) -> None:
        tools = self._tools
        row = QHBoxLayout(tools)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        row.addWidget(self.attempt)
        row.addWidget(self.use)
        row.addStretch(1)
        self.add(self._names["now"], self.now)
        self.add(self._names["kept"], self.kept)
        self.explain(self._about)
        self.add(self._names["address"], self.address)
        self.add(self._names["password"], self.password)
        self.add(self._names["tools"], tools)
        self.explain(self.said)
        self.said.hide()
        # Beside the first line of several.
        self._names["copies"].setAlignment(Qt.AlignmentFlag.AlignTop)
        self._names["copies"].setContentsMargins(0, 6, 0, 0)
        self.add(self._names["copies"], self.upkeep)

    def retranslate(self) -> None:
        """Set every text in the language in force."""
        self.title.setText(self.tr("History"))
        names = {
            "now": self.tr("In use"),
            "kept": self.tr("Kept in"),
            "address": self.tr("Address"),
            "password": self.tr("Password"),
            "copies": self.tr("Copies, check"),
        }
        for key, name in names.items():
            self._names[key].setText(name)
        self.kept.setAccessibleName(self.tr("Where the history is kept"))
        self.address.setAccessibleName(self.tr("Address of the database"))
        self.password.setAccessibleName(self.tr("Password of the database"))
        self.password.setPlaceholderText(self.tr("as it is kept in the key ring, or none"))
        set_tip(
            self.password,
            self.tr("It goes into the key ring of this system, and into no file, log or export."),
        )
        self.upkeep.retranslate()
        self.attempt.setText(self.tr("Try it"))
        set_tip(self.attempt, self.tr("Connect and look what is there; nothing is changed."))
        self.use.setText(self.tr("Use it from the next start on"))
        self._about.setText(
            self.tr(
                "Several computers can keep one history in a PostgreSQL database: everybody sees every run."
                " While it is out of reach, what is measured waits on this computer."
            )
        )
        with QSignalBlocker(self.kept):
            chosen = self.kept.currentData()
            self.kept.clear()
            self.kept.addItem(self.tr("a file of this computer"), FILE)
            self.kept.addItem(self.tr("a database shared with others"), DATABASE)
            self.kept.setCurrentIndex(max(0, self.kept.findData(chosen)))
        if chosen is None:
            self.refresh()
        self._show_parts()
        if self._told is not None and self.said.isVisibleTo(self):
            self._say(*self._told)

    def refresh(self) -> None:
        """Show what is stored."""
        choice = self._places.choice()
        with QSignalBlocker(self.kept):
            self.kept.setCurrentIndex(self.kept.findData(DATABASE if choice.shared else FILE))
        if choice.shared:
            self.address.setText(choice.next_start)
        self._show_parts()

    @property
    def _wants_database(self) -> bool:
        return bool(self.kept.currentData() == DATABASE)

    def _show_parts(self) -> None:
        choice = self._places.choice()
        self.now.setText(choice.in_use)
        self.upkeep.refresh(choice.in_use)
        self.kept.setEnabled(not choice.forced)
        for part in self._of_database:
            part.setVisible(self._wants_database)
        if choice.forced:
            self._say(Message.of("history_place_forced"), "muted")
        self._show_buttons()

    def _show_buttons(self) -> None:
        choice = self._places.choice()
        complete = not self._wants_database or bool(self.address.text().strip())
        wanted = self.address.text().strip() if self._wants_database else choice.file
        new = wanted != choice.next_start or (self._wants_database and bool(self.password.text()))
        self.attempt.setEnabled(complete and not self._busy)
        self.use.setVisible(self._wants_database or new)
        self.use.setEnabled(complete and not self._busy and not choice.forced)
        for part in (self._names["tools"], self._tools):
            part.setVisible(self._wants_database or new)

    def _on_kept(self) -> None:
        self.said.hide()
        self._show_parts()
        if self._wants_database:
            self.address.setFocus()

    def _take_apart(self) -> bool:
        """Take a password out of the address, where it could be read; says what is wrong with it."""
        text = self.address.text().strip()
        if not text:
            return False
        try:
            shown, password = self._places.take_apart(text)
        except KnownError as error:
            self._say(error.message, "bad")
            return False
        self.address.setText(shown)
        if password:
            self.password.setText(password)
        return True

    def _try(self) -> None:
        if not self._busy and self._take_apart():
            self._begin()
            future = self._places.try_out(self.address.text(), self.password.text())
            self._bridge.follow(future, lambda found: self._end(found, "good"), self._on_failed)

    def _use(self) -> None:
        if not self._wants_database:
            self._begin()
            self._bridge.follow(self._places.choose(""), self._on_chosen, self._on_failed)
        elif not self._busy and self._take_apart():
            self._begin()
            future = self._places.try_out(self.address.text(), self.password.text())
            self._bridge.follow(future, lambda _found: self._choose(), self._on_failed)

    def _choose(self) -> None:
        future = self._places.choose(self.address.text(), self.password.text())
        self._bridge.follow(future, self._on_chosen, self._on_failed)

    def _on_chosen(self, notice: Message | None) -> None:
        self.password.clear()
        self.refresh()
        choice = self._places.choice()
        code = "history_place_now" if choice.in_use == choice.next_start else "history_place_next"
        self._end(notice or Message.of(code, path=choice.next_start), "muted" if notice else "good")

    def _on_failed(self, message: Message) -> None:
        self._end(message, "bad")

    def _begin(self) -> None:
        self._busy = True
        set_tone(self.said, "muted")
        self.said.setText(self.tr("Looking…"))
        self.said.show()
        self._show_buttons()

    def _end(self, message: Message, tone: str) -> None:
        self._busy = False
        self._say(message, tone)
        self._show_buttons()

    def _say(self, message: Message, tone: str) -> None:
        self._told = (message, tone)
        set_tone(self.said, tone)
        self.said.setText(f"{texts.sentence(message)} {texts.hint(message)}".strip())
        self.said.show()
