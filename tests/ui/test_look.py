"""The look holds: contrast, colours that colour-blind eyes tell apart, gains on cards, columns that fit."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QLocale, QPoint
from PySide6.QtGui import QContextMenuEvent, QFontMetrics, QHelpEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QToolTip
from pytestqt.qtbot import QtBot

from qtune.core.messages import Message
from qtune.core.stats import Spread, arm_figures
from qtune.ui import icons
from qtune.ui.history.columns import DATE, DECODE, MODEL, STAR, VERDICT
from qtune.ui.main_window import HISTORY, LOG, MODELS, SETTINGS, TUNE
from qtune.ui.theme import _SHEET, DARK, LIGHT, SYMBOLS, Tokens, contrast
from qtune.ui.tune.preset_card import CardFacts, PresetCard
from qtune.ui.widgets import dialogs
from qtune.ui.widgets.tips import WIDEST_PX, wrapped
from qtune.ui.words import figures_text, texts
from tests.ui import fake_history
from tests.ui import fake_story as story
from tests.ui.conftest import WAIT_MS, Open, chosen, desk_of
from tests.ui.fake_desk import Scene

TEXT, GRAPHIC = 4.5, 3.0
APART = 15.0
"""Least distance in CIELAB of two arms to any eye; about 2 is what can just be seen side by side."""
_SIGHT = {
    "usual": np.eye(3),
    "protan": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deutan": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritan": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
"""Machado, Oliveira and Fernandes 2009, severity 1, on linear RGB."""


def lab(colour: str, sight: np.ndarray) -> np.ndarray:
    """A colour as an eye sees it, in CIELAB under D65."""
    srgb = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    seen = np.clip(sight @ linear, 0, 1)
    to_xyz = np.array([[0.4125, 0.3576, 0.1804], [0.2127, 0.7152, 0.0722], [0.0193, 0.1192, 0.9503]])
    ratio = to_xyz @ seen / np.array([0.9505, 1.0, 1.0888])
    f = np.where(ratio > 216 / 24389, np.cbrt(ratio), (24389 / 27 * ratio + 16) / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=lambda t: t.name)
@pytest.mark.parametrize("sight", _SIGHT)
def test_every_pair_of_arms_differs_to_every_eye(tokens: Tokens, sight: str) -> None:
    seen = {arm: lab(colour, _SIGHT[sight]) for arm, colour in tokens.arms.items()}
    near = {
        (a, b): round(float(np.linalg.norm(seen[a] - seen[b])), 1)
        for a, b in itertools.combinations(seen, 2)
        if np.linalg.norm(seen[a] - seen[b]) < APART
    }
    assert near == {}
    assert len({SYMBOLS[arm] for arm in tokens.arms}) == len(tokens.arms), "and by shape"


def _pairs_of_the_sheet() -> set[tuple[str, str]]:
    """Text and ground that stand in one rule of the style sheet, disabled ones left out."""
    found = set()
    for selector, body in re.findall(r"([^{}]+)\{([^{}]*)\}", _SHEET):
        text = re.search(r"(?<![-\w])color: @(\w+)", body)
        ground = re.search(r"background: @(\w+)", body)
        if text and ground and ":disabled" not in selector:
            found.add((text[1], ground[1]))
    return found


@pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=lambda t: t.name)
def test_texts_and_shapes_stand_out_from_their_grounds(tokens: Tokens) -> None:
    grounds = ("surface", "window", "sunken")
    soft = [(tone, f"{tone}_soft") for tone in ("good", "warn", "bad", "accent")]
    tones = ("text", "muted", "good", "warn", "bad", "accent")
    words = {
        *_pairs_of_the_sheet(),
        *itertools.product(tones, grounds),
        *soft,
        *((word, ground) for word in ("text", "muted") for _, ground in (*soft, ("", "idle_soft"))),
        ("on_accent", "accent"),
        ("on_accent", "accent_hover"),
    }
    assert ("muted", "idle_soft") in _pairs_of_the_sheet(), "the rules are read"
    weak = {pair: contrast(getattr(tokens, pair[0]), getattr(tokens, pair[1])) for pair in words}
    assert {pair: round(found, 2) for pair, found in weak.items() if found < TEXT} == {}
    marks = [*itertools.product(("outline", "accent", "good", "warn", "bad", "text"), grounds), *soft]
    faint = {pair: contrast(getattr(tokens, pair[0]), getattr(tokens, pair[1])) for pair in marks}
    assert {pair: round(found, 2) for pair, found in faint.items() if found < GRAPHIC} == {}
    for ground in grounds:
        for arm, colour in tokens.arms.items():
            assert contrast(colour, getattr(tokens, ground)) >= TEXT, arm


# -- gains ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ratio", "shown"),
    [(1.852, "+85 %"), (1.0349, "+3.5 %"), (0.974, "−2.6 %"), (1.0, "±0.0 %"), (0.54, "−46 %"), (None, "–")],
)
def test_a_ratio_is_told_as_what_it_brings(ratio: float | None, shown: str) -> None:
    QLocale.setDefault(QLocale("en_US"))
    assert figures_text.gain(ratio) == shown


def test_both_ends_of_an_interval_have_the_same_decimals() -> None:
    QLocale.setDefault(QLocale("en_US"))
    assert figures_text.gain_bounds(1.84, 1.857) == "+84 to +86 %"
    assert figures_text.gain_bounds(0.97, 1.12) == "−3 to +12 %"
    assert figures_text.gain_bounds(0.97, 1.012) == "−3.0 to +1.2 %"
    assert figures_text.gain_bounds(None, 1.2) == figures_text.MISSING


def test_sentences_keep_ratios_and_show_gains() -> None:
    found = Message.of(
        "verdict_better", arm="n4", off="38.4", on="71.0", ratio="1.85", low="1.85", high="1.86"
    )
    assert found.sentence() == "n4 is worth it: decode 38.4 -> 71.0 tok/s, +85 % (+85 to +86 %)."
    assert dict(found.params)["ratio"] == "1.85", "what is stored and exported stays a ratio"
    assert Message.of("verdict_better").sentence().count("?") == 6, "a missing figure fails nothing"
    for where in ("code (balanced, 1.40x)", "code (balanced, +40 %)"):
        assert texts._gains(where) == "code (Balanced, +40 %)", "runs of earlier versions, too"


# -- columns -------------------------------------------------------------------------------------------------


def shown(table) -> set[int]:  # noqa: ANN001
    return {n for n in range(table.model().columnCount()) if not table.isColumnHidden(n)}


def test_columns_that_have_no_room_are_left_out_from_the_least_important(
    qtbot: QtBot, open_window: Open
) -> None:
    past = fake_history.FakeHistory(fake_history.runs())
    window = open_window(Scene(preferences=chosen(), past=past))
    window.show_page(HISTORY)
    table = window.history.table
    qtbot.waitUntil(table.isVisible, timeout=WAIT_MS)
    for width in (1440, 1024):
        window.resize(width, 900)
        qtbot.waitUntil(lambda: table.horizontalScrollBar().maximum() == 0, timeout=WAIT_MS)
        assert {STAR, DATE, MODEL, DECODE, VERDICT} <= shown(table)
    few = shown(table)
    table.columns._widths[MODEL] += 200
    table.columns.arrange()
    assert shown(table) < few, "a longer name costs the last columns, never a cut figure"


def test_columns_are_picked_from_the_keyboard_and_remembered(
    open_window: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = open_window()
    table = window.tune.table
    window.tune.show_view(0)
    opened: list[str] = []
    monkeypatch.setattr(table.columns, "open_menu", lambda: opened.append("menu"))  # offscreen has no pop-ups
    for reason in (QContextMenuEvent.Reason.Mouse, QContextMenuEvent.Reason.Keyboard):
        QApplication.sendEvent(table, QContextMenuEvent(reason, QPoint(), QPoint()))
    assert opened == ["menu"]
    menu = table.columns.menu()
    before = shown(table)
    assert {0, 4, 5} <= before
    by_name = {action.text(): action for action in menu.actions()}
    assert menu.actions()[0].isChecked(), "as many as fit, until something is picked"
    assert not by_name["Arm"].isEnabled(), "one column always stays"
    assert by_name["First token ms"].toolTip().startswith("Milliseconds")
    by_name["Prompt"].trigger()
    by_name["Decode tok/s"].trigger()
    assert shown(table) == (before | {12}) - {4}
    menu.close()
    kept = desk_of(window).scene.preferences["record_columns"]
    again = open_window(Scene(preferences=chosen(record_columns=kept)))
    assert shown(again.tune.table) == shown(table)
    table.columns.pick(set())
    assert shown(table) == before


# -- names and hints -----------------------------------------------------------------------------------------


def test_buttons_that_are_only_a_picture_have_a_name_and_a_hint(open_window: Open) -> None:
    window = open_window()
    bare = []
    for page in (TUNE, HISTORY, MODELS, LOG, SETTINGS):
        window.show_page(page)
        for made in window.findChildren(QAbstractButton):
            picture_only = made.isVisible() and not made.text() and not made.icon().isNull()
            if picture_only and made.parent().metaObject().className() not in {"QLineEdit", "QMenu"}:
                name = made.accessibleName() and made.toolTip()
                bare += [] if name else [type(made.parent()).__name__]
    assert bare == []


def test_icons_are_sharp_at_the_scale_of_the_screen(qapp: QApplication) -> None:
    ratio = qapp.devicePixelRatio()
    drawn = icons.pixmap("ready", LIGHT.good, 18)
    assert drawn.devicePixelRatio() == ratio
    assert drawn.width() == round(18 * ratio)
    for name in icons._SHAPES:
        image = icons.pixmap(name, "#ff0000", 24, 1.0).toImage()
        alphas = [image.pixelColor(x, y).alpha() for x in range(24) for y in range(24)]
        assert max(alphas) > 200, name
        edge = [image.pixelColor(x, y).alpha() for x in (0, 23) for y in range(24)]
        assert max(edge) == 0, f"{name} is cut off"


def test_no_icon_is_fetched_from_the_resources_that_is_not_there() -> None:
    folder = Path(__file__).resolve().parents[2] / "resources" / "icons"
    for name in re.findall(r"@icons/([\w-]+)-@name", _SHEET):
        assert (folder / f"{name}-light.svg").is_file()
        assert (folder / f"{name}-dark.svg").is_file()


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_a_long_tooltip_breaks_into_lines_that_say_all_of_it(open_window: Open, language: str) -> None:
    window = open_window(Scene(preferences=chosen(language=language)))
    at = window.tune.charts.decode.title
    tip = at.toolTip()
    metrics = QFontMetrics(QToolTip.font())
    assert metrics.horizontalAdvance(tip) > WIDEST_PX
    QApplication.sendEvent(at, QHelpEvent(QEvent.Type.ToolTip, QPoint(1, 1), at.mapToGlobal(QPoint(1, 1))))
    shown = QToolTip.text()
    QToolTip.hideText()
    assert max(map(metrics.horizontalAdvance, shown.split("\n"))) <= WIDEST_PX
    assert shown.replace("\n", "").replace(" ", "") == tip.replace(" ", "")


def test_a_narrow_card_leaves_figures_out_rather_than_cut_them(qtbot: QtBot) -> None:
    card = PresetCard(next(p for p in story.PRESETS if p.id == "balanced"))
    qtbot.addWidget(card)
    decode = Spread(88.9, 88.0, 89.9, 89.8, 12)
    measured = replace(arm_figures(()), decode_tok_s=decode, n_counted=12)
    card.set_facts(CardFacts(measured, off=38.4, factor=2.32))
    card.show()
    parts = {"before": card.before, "decode": card.decode, "unit": card.unit, "gain": card.gain}

    def fits(left_out: set[str]) -> bool:
        hidden = {name for name, part in parts.items() if part.isHidden()}
        shown = [part for part in parts.values() if not part.isHidden()]
        return hidden == left_out and all(part.width() >= part.sizeHint().width() for part in shown)

    def least(names: set[str]) -> int:
        return 20 + sum(part.sizeHint().width() + 5 for name, part in parts.items() if name in names)

    everything = set(parts)
    for width, left_out in (
        (least(everything), set()),
        (least(everything) - 1, {"before"}),
        (least(everything - {"before"}) - 1, {"before", "unit"}),
        (least(everything) + 50, set()),
    ):
        card.setFixedWidth(width)
        qtbot.waitUntil(lambda left_out=left_out: fits(left_out), timeout=WAIT_MS)


def test_a_question_takes_the_width_it_needs(qtbot: QtBot, open_window: Open) -> None:
    box = dialogs.confirm(open_window(), "Stop the server?", "It ends.", "Stop", lambda: None)
    qtbot.waitUntil(box.isVisible, timeout=WAIT_MS)
    (words,) = box.findChildren(QLabel, "qt_msgbox_label")
    assert words.minimumWidth() == 0, "one that is set goes before what the text needs, which is cut then"
    box.close()


def test_a_wrapped_tooltip_breaks_between_words_whatever_its_letters(qapp: QApplication) -> None:
    text = "\N{ROCKET}\N{ROCKET}\N{ROCKET} words and others that have to be broken somewhere\n\n  the end"
    shown = wrapped(text, qapp.font(), 120)
    assert shown.split() == text.split()
    assert "\n\n  the end" in shown
    assert "\n\n\n" not in shown
