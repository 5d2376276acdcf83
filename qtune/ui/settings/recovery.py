"""Settings of the way back: what happens by itself when a server fails, and what it may fall back to."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLabel, QWidget

from qtune.core.model_facts import ModelFacts
from qtune.ui.settings.section import Section
from qtune.ui.state.workbench import Workbench
from qtune.ui.widgets import dialogs
from qtune.ui.widgets.parts import ElidedLabel, button, label
from qtune.ui.widgets.tips import set_tip

AUTOMATIC, GENTLE, FALLBACK = "automatic_rollback", "gentle_steps", "fallback_model"
"""Preferences as the session reads them; all are kept as text."""


class RecoverySection(Section):
    """Every choice is stored at once; the next start or failure goes by it."""

    def __init__(self, bench: Workbench) -> None:
        super().__init__()
        self._bench = bench
        self._names: dict[str, QLabel] = {key: label("muted") for key in (AUTOMATIC, GENTLE, FALLBACK)}
        self._abouts = {key: label("muted", 0.92, wrap=True) for key in self._names}
        self.automatic, self.gentle = QCheckBox(), QCheckBox()
        self.fallback = ElidedLabel(mode=Qt.TextElideMode.ElideMiddle)
        self.pick, self.clear = button(), button()
        self._tools = tools = QWidget()
        row = QHBoxLayout(tools)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        row.addWidget(self.fallback, 1)
        row.addWidget(self.clear)
        row.addWidget(self.pick)
        for key, widget in ((AUTOMATIC, self.automatic), (GENTLE, self.gentle), (FALLBACK, tools)):
            self.add(self._names[key], widget)
            self.explain(self._abouts[key])
        self.automatic.toggled.connect(lambda on: bench.prefer(automatic_rollback="on" if on else "off"))
        self.gentle.toggled.connect(lambda on: bench.prefer(gentle_steps="on" if on else "off"))
        self.pick.clicked.connect(self._ask)
        self.clear.clicked.connect(lambda: self._store(""))

    def retranslate(self) -> None:
        """Set every text in the language in force."""
        self.title.setText(self.tr("When a server fails"))
        names = {
            AUTOMATIC: self.tr("Automatic rollback"),
            GENTLE: self.tr("Gentler steps first"),
            FALLBACK: self.tr("Fallback model"),
        }
        abouts = {
            AUTOMATIC: self.tr(
                "After a crash, a stall or a lack of memory, qtune takes one step down and starts the server"
                " again, at most three times in a quarter of an hour, and tells you what was turned off."
            ),
            GENTLE: self.tr(
                "Shorter drafts, the usual draft cache and the usual batch are tried before MTP is turned"
                " off. More steps, so it takes longer to get to what surely works."
            ),
            FALLBACK: self.tr(
                "A smaller model for the last step down, once nothing of the chosen model runs any more."
            ),
        }
        for key, name in names.items():
            self._names[key].setText(name)
            self._abouts[key].setText(abouts[key])
        for box, key in ((self.automatic, AUTOMATIC), (self.gentle, GENTLE)):
            box.setText(self.tr("on"))
            box.setAccessibleName(names[key])
            set_tip(box, abouts[key])
        self.pick.setText(self.tr("Choose…"))
        self.pick.setAccessibleName(self.tr("Choose the fallback model"))
        self.clear.setText(self.tr("Clear"))
        self.clear.setAccessibleName(self.tr("Name no fallback model"))
        # Sentences that wrap make the grid take a pixel from the row of buttons.
        self._tools.setMinimumHeight(self.pick.sizeHint().height() + 2)
        self.refresh()

    def refresh(self) -> None:
        """Show what is stored."""
        preference = self._bench.preference
        with QSignalBlocker(self.automatic), QSignalBlocker(self.gentle):
            self.automatic.setChecked(preference(AUTOMATIC) != "off")
            self.gentle.setChecked(preference(GENTLE) == "on")
        path = preference(FALLBACK)
        self.fallback.setText(path or self.tr("none"))
        self.clear.setVisible(bool(path))

    def take(self, path: Path) -> None:
        """Name a file, if it proves to be a model that can be run."""
        self._bench.finder.read_model(path, self._on_read)

    def _on_read(self, facts: ModelFacts) -> None:
        if facts.mtp == "sidecar":
            self._bench.finder.refuse_head(facts)
        else:
            self._store(facts.path)

    def _store(self, path: str) -> None:
        self._bench.prefer(fallback_model=path)
        self.refresh()

    def _ask(self) -> None:
        path = self._bench.preference(FALLBACK)
        folder = str(Path(path).parent) if path else ""
        pattern = self.tr("GGUF models (*.gguf);;All files (*)")
        dialogs.pick_file(self, self.tr("Choose the fallback model"), pattern, folder, self.take)
