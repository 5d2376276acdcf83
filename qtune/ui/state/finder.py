"""What was found on this computer: engines, models and cards, and which engine and model are chosen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from qtune.core.engine_facts import EngineFacts
from qtune.core.machine_facts import GpuFacts
from qtune.core.messages import Message
from qtune.core.model_facts import ModelFacts
from qtune.session.desk import Desk
from qtune.session.requests import DoctorReport, EngineFinding
from qtune.session.survey import has_head
from qtune.ui.bridge import Bridge

BUNDLED = "bundled"


class Finder(QObject):
    """Owned by the workbench, GUI thread only; asks the desk and keeps what it answers.

    ``model_taken`` comes before ``source_changed``, so that choices can be made to fit the model first.
    """

    source_changed = Signal()
    host_changed = Signal()
    engines_found = Signal()
    model_taken = Signal(object)
    folder_given = Signal(object)
    failed = Signal(object)

    def __init__(self, desk: Desk, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._desk = desk
        self._bridge = bridge
        self.model: ModelFacts | None = None
        self.models: list[ModelFacts] = []
        self.engine: EngineFinding | None = None
        self.engines: list[EngineFinding] = []
        self.engines_known = False
        self.gpus: tuple[GpuFacts, ...] = ()
        self.gpu_note: Message | None = None
        self.report: DoctorReport | None = None
        self._engine_wanted = desk.preference("engine")

    @property
    def engine_facts(self) -> EngineFacts | None:
        """Facts of the chosen engine, None while none is chosen."""
        return None if self.engine is None else self.engine.facts

    @property
    def with_head(self) -> int:
        """Models found at the start that carry an MTP head, the sample left out."""
        return sum(has_head(m) and not m.is_sample for m in self.models)

    @property
    def first_with_head(self) -> ModelFacts | None:
        """The first of them, None without any."""
        return next((m for m in self.models if has_head(m) and not m.is_sample), None)

    @property
    def bundled(self) -> EngineFinding | None:
        """The bundled engine, if it is installed."""
        found = [f for f in self.engines if f.ref.kind == BUNDLED and f.facts is not None]
        return found[0] if found else None

    # -- looking --------------------------------------------------------------------------------------------

    def open(self) -> None:
        """Look for engines, cards and models, and bring back what was chosen last time."""
        wanted = self._engine_wanted
        self.find_engines(Path(wanted) if wanted and wanted != BUNDLED else None)
        self.examine()
        if path := self._desk.preference("model"):
            self._bridge.follow(self._desk.read_model(Path(path)), self.take_model, self.failed.emit)

    def examine(self) -> None:
        """Ask for cards, models and folders again."""
        self._bridge.follow(self._desk.doctor(), self._on_examined, self.failed.emit)

    def find_engines(self, chosen: Path | None = None) -> None:
        """Look for engines again, ``chosen`` first among them."""

        def not_there(message: Message) -> None:
            self.failed.emit(message)
            if chosen is not None:  # the others are still there
                self._engine_wanted = ""
                self.find_engines()

        self._bridge.follow(self._desk.find_engines(chosen), self._on_engines, not_there)

    def read_model(self, path: Path, done: Callable[[ModelFacts], None]) -> None:
        """Read a model file and hand over its facts, if it is one; a folder is announced instead."""

        def not_a_model(message: Message) -> None:
            # The desk looks, not the window: a drive that hangs must not hang the window.
            if message.code == "model_is_folder":
                self.folder_given.emit(path)
            else:
                self.failed.emit(message)

        self._bridge.follow(self._desk.read_model(path), done, not_a_model)

    # -- choosing -------------------------------------------------------------------------------------------

    def choose_engine_file(self, path: Path) -> None:
        """Take a program the user pointed at, if it proves to be a llama-server."""
        self._engine_wanted = str(path)
        self.find_engines(path)

    def choose_engine(self, finding: EngineFinding) -> None:
        """Take one of the engines found."""
        if finding.facts is None:
            if finding.problem is not None:
                self.failed.emit(finding.problem)
            self.source_changed.emit()
            return
        self.engine = finding
        self._engine_wanted = BUNDLED if finding.ref.kind == BUNDLED else finding.ref.path
        self._desk.set_preferences({"engine": self._engine_wanted})
        self.source_changed.emit()

    def take_model(self, facts: ModelFacts) -> None:
        """Take a model whose header was read; a file that is only a head is refused."""
        if facts.mtp == "sidecar":
            self.refuse_head(facts)
            return
        self.model = facts
        self.models = [facts] + [m for m in self.models if m.path != facts.path]
        self._desk.set_preferences({"model": facts.path})
        self.model_taken.emit(facts)
        self.source_changed.emit()

    def refuse_head(self, facts: ModelFacts) -> None:
        """Say that a file is only a head."""
        self.failed.emit(Message.of("model_is_sidecar", path=facts.path))

    # -- what was found -------------------------------------------------------------------------------------

    def _on_examined(self, report: DoctorReport) -> None:
        self.report = report
        self.gpus, self.gpu_note = report.gpus, report.gpu_note
        known = {m.path for m in self.models}
        self.models += [m for m in report.models if m.path not in known and m.mtp != "sidecar"]
        self.host_changed.emit()
        self.source_changed.emit()

    def _on_engines(self, findings: list[EngineFinding]) -> None:
        self.engines, self.engines_known = findings, True
        self.engines_found.emit()
        chosen = self._match(self._engine_wanted)
        if chosen is not None and chosen.facts is None:
            # The user's own choice turned out to be no engine: say so and keep what worked before.
            if chosen.problem is not None:
                self.failed.emit(chosen.problem)
            chosen = None
        if chosen is None:
            chosen = self._match("" if self.engine is None else self.engine.ref.path) or self._default()
        if chosen is not None and chosen.facts is not None:
            self.choose_engine(chosen)
        else:
            self.source_changed.emit()

    def _match(self, wanted: str) -> EngineFinding | None:
        if not wanted:
            return None
        if wanted == BUNDLED:
            return self.bundled
        chosen = [f for f in self.engines if f.ref.found_in == "chosen"]
        found = [f for f in self.engines if f.ref.path == wanted and f.ref.kind != BUNDLED] or chosen
        return found[0] if found else None

    def _default(self) -> EngineFinding | None:
        """The user's own engine before the bundled one."""
        usable = [f for f in self.engines if f.facts is not None]
        return min(usable, key=lambda f: f.ref.kind == BUNDLED, default=None)
