"""What is handed to the window: files dropped on it and commands pasted into it, and what becomes of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QMimeData, QObject, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from qtune.core.command_text import PastedCommand, read_command
from qtune.core.messages import Message
from qtune.core.model_facts import ModelFacts
from qtune.session.desk import Desk
from qtune.session.dropped import Dropped
from qtune.ui.bridge import Bridge
from qtune.ui.state.obstacles import mtp_obstacle
from qtune.ui.state.own_settings import intake_of
from qtune.ui.state.recent import Recent
from qtune.ui.state.workbench import Workbench
from qtune.ui.widgets.banners import BannerArea, Offer
from qtune.ui.window.paste_dialog import PasteDialog, Understood


class HandOver(QObject):
    """Owned by the window, GUI thread only; each thing given is taken, or a sentence says why it is not.

    ``model_given`` carries the facts of a model, ``folder_given`` and ``history_given`` carry a path,
    ``command_taken`` comes when a command has become the settings.
    """

    model_given = Signal(object)
    folder_given = Signal(object)
    history_given = Signal(object)
    command_taken = Signal()

    def __init__(
        self, desk: Desk, bridge: Bridge, bench: Workbench, banners: BannerArea, window: QWidget
    ) -> None:
        super().__init__(window)
        self._desk = desk
        self._bridge = bridge
        self._bench = bench
        self._banners = banners
        self._window = window
        self.dialog: PasteDialog | None = None

    # -- what comes in --------------------------------------------------------------------------------------

    @staticmethod
    def can_take(mime: QMimeData) -> bool:
        """Whether there is a local file or a text in it."""
        return any(url.isLocalFile() for url in mime.urls()) or mime.hasText()

    def paste(self) -> None:
        """Take what is in the clipboard: a command, or files copied in a file manager."""
        self.take(QGuiApplication.clipboard().mimeData())

    def take(self, mime: QMimeData) -> None:
        """Take what was dropped or pasted."""
        files = [Path(url.toLocalFile()) for url in mime.urls() if url.isLocalFile()]
        if files:
            self._take_files(files)
        else:
            self.read(mime.text())

    def _take_files(self, files: Sequence[Path]) -> None:
        if not self._bench.idle:
            self._say("dropped_while_busy")
            return
        if len(files) > 1:
            self._say("dropped_several", count=len(files), path=files[0].name)
        self._bridge.follow(self._desk.look_at(files[0]), self._on_looked, self._bench.failed.emit)

    def _on_looked(self, dropped: Dropped) -> None:
        path = dropped.path
        match dropped.kind:
            case "model":
                self._bench.finder.read_model(path, self.model_given.emit)
            case "folder":
                self.folder_given.emit(path)
            case "engine":
                self._bench.finder.choose_engine_file(path)
            case "history":
                self.history_given.emit(path)
            case "text":
                self.read(dropped.text, path)

    # -- a command ------------------------------------------------------------------------------------------

    def read(self, text: str, file: Path | None = None) -> None:
        """Show what a command says; ``file`` is the script it stands in, from where its paths start."""
        if not self._bench.idle:
            self._say("pasted_while_busy")
            return
        pasted = read_command(text)
        if not pasted.settings and pasted.model_path is None and pasted.engine_path is None:
            self._refuse(pasted, file)
            return
        folder = None if file is None else file.parent
        model, problems = _place(pasted.model_path, folder)
        if model is None:
            self._show(pasted, None, folder, problems)
            return
        self._bridge.follow(
            self._desk.read_model(model),
            lambda facts: self._show(pasted, facts, folder, problems),
            lambda message: self._show(pasted, None, folder, (*problems, message)),
        )

    def _refuse(self, pasted: PastedCommand, file: Path | None) -> None:
        """One sentence: what the reader says itself, or that there is no command at all."""
        told = [m for m in pasted.problems if m.code in {"pasted_too_long", "pasted_open_quote"}]
        if file is not None:
            self._say("dropped_no_command", path=file.name)
        elif told:
            self._banners.show_message("error", told[0])
        else:
            self._say("pasted_no_command")

    def _show(
        self,
        pasted: PastedCommand,
        model: ModelFacts | None,
        folder: Path | None,
        problems: tuple[Message, ...],
    ) -> None:
        if not self._bench.idle or self.dialog is not None:
            return
        bench = self._bench
        engine, more = _place(pasted.engine_path, folder, bare_is_known=True)
        if (
            engine is not None
            and bench.engine_facts is not None
            and str(engine) == bench.engine_facts.ref.path
        ):
            engine = None
        intake = intake_of(pasted)
        blocked = mtp_obstacle(model or bench.model, bench.engine_facts) if intake.custom else None
        shown = Understood(
            pasted,
            intake,
            before=bench.settings_of(bench.preset_id),
            after=intake.settings(bench.ctx_size),
            model=model,
            engine=engine,
            problems=(*problems, *more, *(() if blocked is None else (blocked,))),
        )
        self.dialog = PasteDialog(self._window, shown, self._banners.tokens, lambda: self._apply(shown))
        self.dialog.finished.connect(self._forget)
        self.dialog.open()

    def _forget(self) -> None:
        self.dialog = None

    def _apply(self, shown: Understood) -> None:
        bench = self._bench
        if not bench.idle:
            self._say("pasted_while_busy")
            return
        before, model, engine = bench.launchable, bench.model, bench.finder.engine
        if shown.engine is not None:
            bench.finder.choose_engine_file(shown.engine)
        if shown.model is not None:
            bench.take_model(shown.model)
        bench.take_in(shown.intake)

        def undo() -> None:
            if engine is not None:
                bench.finder.choose_engine(engine)
            if model is not None:
                bench.take_model(model)
            bench.put_back(before)

        self._banners.say(
            "command_taken",
            lambda: (self.tr("The settings of the command are in force from the next start on."), ""),
            (Offer(lambda: self.tr("Undo"), undo, undo=True),),
        )
        self.command_taken.emit()

    def drop_own(self) -> None:
        """Put the user's own settings back to their defaults; a button brings them back."""
        bench = self._bench
        if bench.idle and bench.own:
            before = bench.launchable
            bench.drop_own()
            self._banners.say(
                "own_dropped",
                lambda: (self.tr("Your own settings are back at their defaults."), ""),
                (Offer(lambda: self.tr("Undo"), lambda: bench.put_back(before), undo=True),),
            )

    def offer_list_back(self, recent: Recent, paths: tuple[str, ...]) -> None:
        """A list of files used last was cleared; a button brings it back."""
        self._banners.say(
            "list_cleared",
            lambda: (self.tr("The list is empty now; the files are where they were."), ""),
            (Offer(lambda: self.tr("Undo"), lambda: recent.put(paths), undo=True),),
        )

    def _say(self, code: str, **params: str | int) -> None:
        kind = "warning" if code == "dropped_several" else "error"
        self._banners.show_message(kind, Message.of(code, **params))


def _place(
    written: str | None, folder: Path | None, *, bare_is_known: bool = False
) -> tuple[Path | None, tuple[Message, ...]]:
    """Where a file of a command is; a bare name of a program is the engine that is chosen already."""
    if written is None or "$" in written or "%" in written:
        return None, ()  # a variable is among the problems already
    bare = not any(mark in written for mark in "/\\")
    path = Path(written).expanduser() if written.startswith("~/") else Path(written)
    if path.is_absolute() or written[1:3] in {":\\", ":/"}:
        return path, ()
    if bare and bare_is_known:
        return None, ()
    if folder is not None:
        return folder / path, ()
    return None, (Message.of("pasted_file_relative", path=written),)
