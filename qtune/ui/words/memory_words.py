"""What a launch takes of the memory, in words: parts, where each figure comes from, and whether it fits."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from qtune.core.memory_facts import FitState, MemoryView, Room
from qtune.core.messages import QT_TRANSLATE_NOOP
from qtune.ui.words import figures_text, texts
from qtune.ui.words.figures_text import GIB, memory, number

PARTS = {
    "weights": QT_TRANSLATE_NOOP("memory", "Weights"),
    "kv": QT_TRANSLATE_NOOP("memory", "KV cache"),
    "recurrent": QT_TRANSLATE_NOOP("memory", "Recurrent state"),
    "compute": QT_TRANSLATE_NOOP("memory", "Compute buffers"),
    "overhead": QT_TRANSLATE_NOOP("memory", "Overhead of driver and engine"),
    "mtp_weights": QT_TRANSLATE_NOOP("memory", "MTP: weights of the head"),
    "mtp_kv": QT_TRANSLATE_NOOP("memory", "MTP: KV cache"),
    "mtp_recurrent": QT_TRANSLATE_NOOP("memory", "MTP: copies of the recurrent state"),
    "mtp_compute": QT_TRANSLATE_NOOP("memory", "MTP: compute buffers"),
}
_SOURCES = {
    "computed": QT_TRANSLATE_NOOP("memory", "computed"),
    "estimated": QT_TRANSLATE_NOOP("memory", "estimated"),
    "measured": QT_TRANSLATE_NOOP("memory", "measured"),
    "remembered": QT_TRANSLATE_NOOP("memory", "remembered"),
    "read": QT_TRANSLATE_NOOP("memory", "read"),
    "": "–",
}
_SOURCES_ABOUT = {
    "computed": QT_TRANSLATE_NOOP("memory", "Follows exactly from the header of the file."),
    "estimated": QT_TRANSLATE_NOOP(
        "memory", "A guess; the first launch replaces it by the engine's own figure."
    ),
    "measured": QT_TRANSLATE_NOOP("memory", "The engine's own figure of this launch."),
    "remembered": QT_TRANSLATE_NOOP(
        "memory", "The engine's own figure of an earlier launch of this model, build and settings."
    ),
    "read": QT_TRANSLATE_NOOP("memory", "Read from the driver or the system just now."),
    "": QT_TRANSLATE_NOOP("memory", "Could not be read."),
}
_FITS: dict[FitState, tuple[str, str, str]] = {
    "fits": (QT_TRANSLATE_NOOP("memory", "fits"), "yes", "good"),
    "tight": (QT_TRANSLATE_NOOP("memory", "tight"), "warning", "warn"),
    "too_large": (QT_TRANSLATE_NOOP("memory", "too large"), "no", "bad"),
    "unknown": (QT_TRANSLATE_NOOP("memory", "not known"), "unknown", "idle"),
}
_translate = QCoreApplication.translate


def part_word(kind: str) -> str:
    """Name of a part of the memory."""
    return _translate("memory", PARTS[kind])


def source_word(source: str) -> str:
    """Where a figure comes from."""
    return _translate("memory", _SOURCES[source])


def source_about(source: str) -> str:
    """The same in a sentence."""
    return _translate("memory", _SOURCES_ABOUT[source])


def fit_look(state: FitState) -> tuple[str, str, str]:
    """Word, shape and tone of a fit."""
    word, shape, tone = _FITS[state]
    return _translate("memory", word), shape, tone


def demand(view: MemoryView) -> int:
    """Bytes in use once the model is loaded: its own parts and, where known, other programs."""
    others = 0 if view.room is None else view.room.others_bytes or 0
    return view.estimate.total_bytes + others


def place(room: Room) -> str:
    """Which memory it is."""
    return room.name or QCoreApplication.translate("memory", "main memory")


def short_lines(view: MemoryView) -> tuple[str, ...]:
    """One line on the memory in several lengths, the longest first; each says when it is estimated."""
    used, mtp = number(demand(view) / GIB, 1), memory(view.estimate.mtp_bytes)
    if view.room is None or view.room.others_bytes is None:
        full = QCoreApplication.translate("memory", "needs {used} GiB").format(used=used)
        brief = full
    else:
        total = number(view.room.total_bytes / GIB, 1)
        full = QCoreApplication.translate("memory", "{used} of {total} GiB").format(used=used, total=total)
        brief = f"{used}/{total} GiB"
        if not view.room.name:
            full = QCoreApplication.translate("memory", "{figures} of main memory").format(figures=full)
    with_mtp = full
    if view.estimate.mtp_bytes:
        with_mtp = QCoreApplication.translate("memory", "{figures}, {mtp} from MTP").format(
            figures=full, mtp=mtp
        )
    lines: tuple[str, ...] = (with_mtp, full, brief)
    if view.estimate.is_estimated:
        longest = QCoreApplication.translate("memory", "{figures} (estimated)").format(figures=with_mtp)
        est = QCoreApplication.translate("memory", "est. {figures}")
        lines = (longest, *(est.format(figures=line) for line in lines))
    if view.state in {"tight", "too_large"}:
        lines = tuple(texts.labelled(fit_look(view.state)[0], line) for line in lines)
    return lines


def headline(view: MemoryView) -> str:
    """The fit in one sentence."""
    room, used = view.room, memory(demand(view))
    if room is None or room.others_bytes is None or view.state == "unknown":
        need = memory(view.estimate.total_bytes)
        text = QCoreApplication.translate(
            "memory", "Needs {need}; how much memory is free could not be read, so nothing is said of a fit."
        )
        return text.format(need=need)
    left = room.total_bytes - demand(view)
    where, total = place(room), memory(room.total_bytes)
    if view.state == "too_large":
        text = QCoreApplication.translate("memory", "Too large: {over} more than there is in {where}.")
        return text.format(over=memory(-left), where=f"{where} ({total})")
    if view.state == "tight":
        text = QCoreApplication.translate(
            "memory", "Tight: {used} of {total} ({where}); {left} stay free, {keep} should."
        )
    else:
        text = QCoreApplication.translate(
            "memory", "Fits: {used} of {total} ({where}); {left} stay free, {keep} should."
        )
    return text.format(used=used, total=total, where=where, left=memory(left), keep=memory(view.keep_bytes))


def largest_words(view: MemoryView) -> str:
    """The largest context that fits, in one sentence; empty while the memory is unknown."""
    if view.state == "unknown":
        return ""
    if view.largest_ctx is None:
        return QCoreApplication.translate("memory", "Not even the smallest context fits.")
    text = QCoreApplication.translate("memory", "Largest context that fits like this: {ctx}.")
    return text.format(ctx=figures_text.context(view.largest_ctx))


def about(view: MemoryView) -> str:
    """Every figure behind the bar, one a line."""
    lines = [headline(view)]
    room = view.room
    if room is not None:
        lines += _others(room)
    lines += [
        texts.labelled(part_word(part.kind), f"{memory(part.size_bytes)}, {source_word(part.source)}")
        for part in view.estimate.parts
    ]
    if view.estimate.mtp_bytes:
        text = QCoreApplication.translate("memory", "MTP adds {mtp} (hatched).")
        lines.append(text.format(mtp=memory(view.estimate.mtp_bytes)))
    if room is not None:
        text = QCoreApplication.translate(
            "memory",
            "The bar from left to right: other programs (grey), the model's parts (ever fainter), MTP"
            " (hatched); dotted is what should stay free ({keep}), the upright line all there is.",
        )
        lines.append(text.format(keep=memory(view.keep_bytes)))
    if words := largest_words(view):
        lines.append(words)
    if view.estimate.gaps:
        text = QCoreApplication.translate("memory", "The file does not say: {keys}. Parts may be too small.")
        lines.append(text.format(keys=texts.listed(view.estimate.gaps)))
    return "\n".join(lines)


def _others(room: Room) -> list[str]:
    name = QCoreApplication.translate("memory", "Other programs")
    lines = [texts.labelled(name, memory(room.others_bytes))]
    named = [f"{who} {memory(size)}" if size is not None else who for who, size in room.others]
    if named:
        lines.append("    " + texts.listed(named))
    return lines


def rows(view: MemoryView) -> list[tuple[str, str, str, str]]:
    """Part, size, source and the slice it belongs to; other programs first."""
    made = []
    if view.room is not None:
        others = view.room.others_bytes
        name = QCoreApplication.translate("memory", "Other programs")
        made.append((name, memory(others), "" if others is None else "read", "others"))
    made += [
        (part_word(part.kind), memory(part.size_bytes), part.source, slice_of(part.kind))
        for part in view.estimate.parts
    ]
    return made


def slice_of(kind: str) -> str:
    """Which slice of the bar shows a part."""
    if kind.startswith("mtp_"):
        return "mtp"
    return "compute" if kind == "overhead" else kind
