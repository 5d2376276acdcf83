"""What can be done with runs of the history: mark, delete and bring back, export, import."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Final

from PySide6.QtCore import QCoreApplication, QLocale, QObject, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from qtune.core.messages import Message
from qtune.report.words import Words as ReportWords
from qtune.session.exchange import Imported
from qtune.session.exports import FORMS, ExportForm, ExportWords
from qtune.session.history_desk import HistoryDesk
from qtune.session.transfer import Transfer
from qtune.ui.bridge import Bridge
from qtune.ui.history import export as history_export
from qtune.ui.state.choices import Choices
from qtune.ui.widgets import dialogs
from qtune.ui.widgets.banners import Offer, Words
from qtune.ui.words import texts

FOLDER: Final = "export_folder"
"""Preference: where the last file was written or read."""


class HistoryActions(QObject):
    """GUI thread only. ``said`` carries a sentence about what was done, with buttons where it can be undone.

    ``marked`` names the keys whose rows are to be read again, ``listed_changed`` comes when runs came or
    went, ``busy_changed`` tells how many files are being written or read. ``began`` carries such a transfer
    and what it is called, ``moved`` how far it is, ``ended`` that it is over. ``refused`` says why a file was
    not written or read, ``show_wanted`` carries ids of runs that are to be shown in the list.
    """

    marked = Signal(object)
    listed_changed = Signal()
    busy_changed = Signal(int)
    said = Signal(object, object)
    failed = Signal(object)
    refused = Signal(object)
    show_wanted = Signal(object)
    began = Signal(object, object)
    moved = Signal(object, int, int)
    ended = Signal(object)

    def __init__(self, desk: HistoryDesk, choices: Choices, bridge: Bridge, owner: QWidget) -> None:
        super().__init__(owner)
        self._desk = desk
        self._choices = choices
        self._bridge = bridge
        self._owner = owner
        self._busy = 0
        self._marks: deque[Callable[[], None]] = deque()

    # -- marking --------------------------------------------------------------------------------------------

    def star(self, keys: Sequence[int], *, on: bool) -> None:
        """Star runs, or take the star away."""
        self._mark(keys, lambda ids: self._desk.star(ids, on=on))

    def outlier(self, keys: Sequence[int], *, on: bool) -> None:
        """Mark runs as outliers, or no longer."""
        self._mark(keys, lambda ids: self._desk.mark_outlier(ids, on=on))

    def _mark(self, keys: Sequence[int], command: Callable[[list[str]], Future[None]]) -> None:
        """One after the other: a star that is taken away again must not overtake the one that was given."""

        def go(ids: list[str]) -> None:
            self._bridge.follow(command(ids), done, failed)

        def done(_none: None) -> None:
            self.marked.emit(keys)
            self._next_mark()

        def failed(message: Message) -> None:
            self.failed.emit(message)
            self._next_mark()

        if keys:
            self._marks.append(lambda: self._bridge.follow(self._desk.ids(keys), go, failed))
            if len(self._marks) == 1:
                self._marks[0]()

    def _next_mark(self) -> None:
        self._marks.popleft()
        if self._marks:
            self._marks[0]()

    def note(self, run_id: str, text: str, key: int) -> None:
        """Keep a note."""
        self._bridge.follow(
            self._desk.note(run_id, text), lambda _none: self.marked.emit([key]), self.failed.emit
        )

    def delete(self, keys: Sequence[int]) -> None:
        """Hide runs; a button brings them back."""

        def deleted(ids: list[str]) -> None:
            self._ended()
            if not ids:
                return
            undo = Offer(lambda: self.tr("Undo"), lambda: self._undelete(ids), undo=True)
            self.said.emit(lambda: (self.tr("%Ln run(s) deleted.", "", len(ids)), ""), (undo,))
            self.listed_changed.emit()

        if keys:
            self._begin()
            self._bridge.follow(self._desk.delete_keys(keys), deleted, self._on_failed)

    def undelete(self, keys: Sequence[int]) -> None:
        """Bring back those of these runs that are deleted."""
        if keys:
            self._begin()
            self._bridge.follow(self._desk.undelete_keys(keys), self._on_back, self._on_failed)

    def _bring_back(self, ids: Sequence[str]) -> None:
        self._begin()
        self._bridge.follow(self._desk.undelete(ids), lambda _none: self._on_back(ids), self._on_failed)

    def _on_back(self, ids: Sequence[str]) -> None:
        """Told of, unlike an undone deletion: the runs may be far down in the list."""
        if ids:
            words: Words = lambda: (self.tr("%Ln run(s) brought back.", "", len(ids)), "")  # noqa: E731
            self.said.emit(words, (self._show_them(ids),))
        self._on_listed_changed(None)

    def _show_them(self, ids: Sequence[str]) -> Offer:
        return Offer(lambda: self.tr("Show them"), lambda: self.show_wanted.emit(ids))

    def _undelete(self, ids: Sequence[str]) -> None:
        self._begin()
        self._bridge.follow(self._desk.undelete(ids), self._on_listed_changed, self._on_failed)

    def purge(self) -> None:
        """Really remove what was deleted."""
        self._begin()
        self._bridge.follow(self._desk.purge(), self._on_listed_changed, self._on_failed)

    def _on_listed_changed(self, _none: None) -> None:
        self._ended()
        self.listed_changed.emit()

    # -- out and in -----------------------------------------------------------------------------------------

    def save(self, form: ExportForm, keys: Sequence[int], name: str) -> None:
        """Ask where to, and write an export there."""
        place = self._folder() / (name + FORMS[form].suffix)
        title = self.tr("Export: {form}").format(form=history_export.form_name(form))
        pattern = history_export.file_pattern(form)
        dialogs.pick_target(self._owner, title, pattern, place, lambda path: self._write(form, keys, path))

    def copy(self, form: ExportForm, keys: Sequence[int]) -> None:
        """Put an export into the clipboard."""

        def done(text: str) -> None:
            self._arrived(transfer)
            QGuiApplication.clipboard().setText(text)
            self._say(
                lambda: self.tr("Copied: {form}.").format(form=history_export.form_name(form)), lambda: ""
            )

        transfer = self._set_out(lambda: history_export.form_name(form))
        future = self._desk.export_text(form, keys, _words(), transfer)
        self._bridge.follow(future, done, lambda message: self._stopped(transfer, message))

    def ask_import(self) -> None:
        """Let the user point at an export to take in."""
        dialogs.pick_file(
            self._owner,
            self.tr("Import runs"),
            self.tr("Exports of qtune, results of llama-bench") + " (*.json *.jsonl *.csv)",
            str(self._folder()),
            self.take_in,
        )

    def take_in(self, path: Path) -> None:
        """Take in the runs of an export; those already here stay as they are."""

        def done(found: Imported) -> None:
            self._arrived(transfer)
            self._tell_of(found)
            self.listed_changed.emit()

        transfer = self._set_out(lambda: path.name)
        self._choices.prefer(**{FOLDER: str(path.parent)})
        future = self._desk.import_file(path, transfer)
        self._bridge.follow(future, done, lambda message: self._stopped(transfer, message))

    def _tell_of(self, found: Imported) -> None:
        """What came of an import; runs that stay hidden can be brought back."""

        def words() -> tuple[str, str]:
            known, deleted = found.known, len(found.deleted)
            hints = [
                self.tr("%Ln run(s) were there already.", "", known) if known else "",
                self.tr("%Ln of them had been deleted and stay hidden.", "", deleted) if deleted else "",
            ]
            return self.tr("%Ln run(s) taken in.", "", found.added), " ".join(filter(None, hints))

        offers = [self._show_them(found.new)] if found.new else []
        if found.deleted:
            offers.append(Offer(lambda: self.tr("Bring back"), lambda: self._bring_back(found.deleted)))
        self.said.emit(words, offers)

    def _write(self, form: ExportForm, keys: Sequence[int], path: Path) -> None:
        def done(written: Path) -> None:
            self._arrived(transfer)
            show = Offer(lambda: self.tr("Show in folder"), lambda: dialogs.show_folder(written))
            words: Words = lambda: (self.tr("Written: {path}").format(path=written), "")  # noqa: E731
            self.said.emit(words, (show,))

        transfer = self._set_out(lambda: path.name)
        self._choices.prefer(**{FOLDER: str(path.parent)})
        future = self._desk.export_file(form, keys, path, _words(), transfer)
        self._bridge.follow(future, done, lambda message: self._stopped(transfer, message))

    def _folder(self) -> Path:
        kept = self._choices.preference(FOLDER)
        return Path(kept) if kept and Path(kept).is_dir() else Path.home()

    def _say(self, sentence: Callable[[], str], hint: Callable[[], str]) -> None:
        words: Words = lambda: (sentence(), hint())  # noqa: E731 - named only for its type
        self.said.emit(words, ())

    def _set_out(self, name: Callable[[], str]) -> Transfer:
        # On the thread that works; the bridge brings it here.
        def moved(done: int, total: int) -> None:
            self._bridge.call(self.moved.emit, transfer, done, total)

        transfer = Transfer(moved)
        self._begin()
        self.began.emit(transfer, name)
        return transfer

    def _arrived(self, transfer: Transfer) -> None:
        self._ended()
        self.ended.emit(transfer)

    def _stopped(self, transfer: Transfer, message: Message) -> None:
        self._arrived(transfer)
        if message.code == "history_cancelled":
            self._say(lambda: self.tr("Cancelled; everything is as it was."), lambda: "")
        else:
            self.refused.emit(message)

    def _begin(self) -> None:
        self._busy += 1
        self.busy_changed.emit(self._busy)

    def _ended(self) -> None:
        self._busy -= 1
        self.busy_changed.emit(self._busy)

    def _on_failed(self, message: Message) -> None:
        self._ended()
        self.failed.emit(message)


def _words() -> ExportWords:
    """Reports speak the window's language; spreadsheets read numbers as this computer writes them."""
    language = "zh-CN" if QLocale().name() == "zh_CN" else "en"
    report = ReportWords(
        language, QCoreApplication.translate, texts.sentence, texts.arm_title, texts.prompt_name
    )
    return ExportWords(QLocale.system().name(), report)
