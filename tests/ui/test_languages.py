"""Texts in every language: none that no translator sees, none cut, figures as the language writes them."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from types import ModuleType

import pytest
from PySide6.QtCore import QLocale, Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from qtune.ui.language import Language
from qtune.ui.main_window import MainWindow
from qtune.ui.widgets.context_spin import ContextSpin
from qtune.ui.widgets.number_spin import NumberSpin
from qtune.ui.words import figures_text, texts
from tests.ui import shown_texts, source_texts, tour
from tests.ui.conftest import WAIT_MS, Open, settle

ROOT = Path(__file__).resolve().parents[2]
LARGE, SMALL = tour.SIZES

UNIT = "a unit, the same in every language"
MEASURED = "only measured, to find the width of a column"
NAME = "a name"
CODE = "a code, not shown"
EXEMPT: source_texts.Exempt = {
    ("state/own_settings.py", "Custom"): "translated where it is shown; marked in texts.py",
    ("window/access_field.py", "x-kde-passwordManagerHint"): CODE,
    ("window/access_field.py", "ExcludeClipboardContentFromMonitorProcessing"): CODE,
    ("widgets/countdown_box.py", "qtune"): NAME,
    ("window/opening.py", "qtune"): NAME,
    ("history/comparison_charts.py", "GiB"): UNIT,
    ("history/comparison_charts.py", "J/token"): UNIT,
    ("history/comparison_charts.py", " J/token"): UNIT,
    ("main_window.py", "MainWindow"): CODE,
    ("plots/chart_menu.py", "qtune"): NAME,
    ("tune/preset_card.py", "tok/s"): UNIT,
    ("plots/live_charts.py", " W"): UNIT,
    ("plots/live_charts.py", " °C"): UNIT,
    ("plots/live_charts.py", "GiB"): UNIT,
    ("plots/live_charts.py", "°C"): UNIT,
    ("plots/picture.py", "resolutionScale"): CODE,
    ("plots/picture.py", "setExportMode"): CODE,
    ("widgets/dialogs.py", "qtune"): NAME,
    ("words/figures_text.py", " min"): UNIT,
    ("words/figures_text.py", " GiB"): UNIT,
    ("words/figures_text.py", " MiB"): UNIT,
    ("words/figures_text.py", " tok/s"): UNIT,
    ("words/figures_text.py", " ms"): UNIT,
    ("words/figures_text.py", " s"): UNIT,
    ("words/memory_words.py", " GiB"): UNIT,
    ("tune/first_start.py", 'pip install "qtune[engine]"'): "a command",
    ("history/actions.py", "zh-CN"): CODE,
    (
        "history/actions.py",
        " (*.json *.jsonl *.csv)",
    ): "patterns of file names, behind words that are translated",
    ("icons.py", '" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round">'): "part of a picture",
    ("plots/legend.py", 'fill="'): "part of a picture",
    ("language.py", "zh_CN"): CODE,
    ("language.py", "en_US"): CODE,
    ("plots/live_charts.py", " · L "): "the sign of the mean length of accepted drafts",
    ("tune/preset_card.py", "{kept}/{all}"): "no words, only places of figures",
    ("settings/page.py", "English"): "each language is named in itself, so that it can be found again",
    ("settings/page.py", "简体中文"): "each language is named in itself, so that it can be found again",
    ("tune/source_bar.py", " b"): "how llama.cpp writes its builds",
    ("window/status_strip.py", " b"): "how llama.cpp writes its builds",
    ("words/texts.py", "n_max "): "the name of a setting in llama.cpp",
    ("theme.py", "PingFang SC"): NAME,
    ("theme.py", "Microsoft YaHei UI"): NAME,
    ("theme.py", "Noto Sans CJK SC"): NAME,
    ("theme.py", "Noto Sans SC"): NAME,
    ("theme.py", "Source Han Sans SC"): NAME,
    ("theme.py", "WenQuanYi Micro Hei"): NAME,
    ("theme.py", "Fusion"): NAME,
}


def translations() -> ModuleType:
    """packaging/translations.py, by path: its folder must never be importable."""
    spec = importlib.util.spec_from_file_location(
        "qtune_translations", ROOT / "packaging" / "translations.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


# -- the source ----------------------------------------------------------------------------------------------


def test_a_translator_sees_every_text_of_the_window() -> None:
    assert source_texts.faults(EXEMPT) == []


@pytest.mark.parametrize(
    ("source", "fault"),
    [
        ('box.setText("Start")', "is shown"),
        ('box.setText("ready")', "is shown"),
        ('box.setToolTip(f"{name} failed")', "is shown"),
        ('box.setText("busy" if on else tr("idle"))', "is shown"),
        ('own_helper("A new way to show words")', "reads"),
        ('WORDS = {"a": "Two words"}', "reads"),
        ('self.tr(f"{n} of {m}")', "not a literal"),
        ('self.tr("a " + name)', "not a literal"),
        ("self.tr(name)", "not a literal"),
        ('QCoreApplication.translate("x", "%n run(s)", "", n)', "by position"),
        ('self.tr("%n run(s)", n=n)', "by position"),
        ('self.tr("{n} model(s)").format(n=n)', "without its number"),
    ],
)
def test_what_no_translator_sees_is_found(source: str, fault: str) -> None:
    assert any(fault in why for _line, _text, why in source_texts.module_faults(source))


@pytest.mark.parametrize(
    "source",
    [
        'box.setText(self.tr("{n} of {m}").format(n=n, m=m))',
        'self.tr("%n run(s)", "", n)',
        'TABLE = {"done": QT_TRANSLATE_NOOP("states", "done")}',
        'box.setText(_translate("states", TABLE["done"]))',
        'box.setObjectName("card")',
        '_log.exception("the session did not end in order")',
        'QKeySequence("Ctrl+Shift+F5")',
    ],
)
def test_what_is_translated_or_not_shown_is_left_alone(source: str) -> None:
    assert list(source_texts.module_faults(source)) == []


def test_both_translations_are_complete() -> None:
    assert translations().faults() == []


# -- the window in every language ----------------------------------------------------------------------------

DATA = {
    r"[\d.,  ×–−+±%/:·≈→()-]*(tok/s|ms|s|GiB|MiB|W|°C|min|k|x)?([\d., /–·L%]+(GiB|MiB)?)?": "figures",
    r"[\d/:, \u202f-]+(AM|PM)": "moments",
    r"(.*\n)?[~/].*": "paths",
    r"(Qwen|GLM|Gemma|gemma|deepseek).*": "models",
    r"I?Q\d\w*": "quantisations",
    r".*\b(RTX 4090|GT 1030)\b.*": "cards",
    r"(llama-server|llama\.cpp|\d{5} \().*": "engines",
    r"--spec-(type|draft) ?.*": "a command line",
    r"pip install .*": "a command",
    r"English|简体中文": "languages, named in themselves",
    r"Explain how to read the figures\.": "a prompt",
}
"""What stands in the window and is no text of ours, by pattern, with what it is."""


@pytest.fixture(scope="module")
def known_texts(tmp_path_factory: pytest.TempPathFactory) -> frozenset[tuple[str, str]]:
    """Context and source of each text that a translation would hold, collected anew."""
    folder = tmp_path_factory.mktemp("i18n")
    tool = translations()
    tool.collect(folder / "zh.ts", folder / "en.ts")
    return frozenset((entry.context, entry.source) for entry in tool.entries(folder / "zh.ts"))


@contextmanager
def speaking(
    window: MainWindow, app: QApplication, language: str, known: frozenset[tuple[str, str]]
) -> Iterator[None]:
    """A window in one of its languages, or in that of the test."""
    if language != "pseudo":
        window.choose_language(language)
        yield
        return
    translator = shown_texts.PseudoTranslator(known)
    app.installTranslator(translator)
    yield
    app.removeTranslator(translator)


def waiting(qtbot: QtBot) -> tour.Wait:
    """The tests' way to wait."""
    return lambda condition: qtbot.waitUntil(condition, timeout=WAIT_MS)


def not_translated(window: MainWindow) -> set[str]:
    """Texts of the window that are neither translated nor data."""
    return {
        f"{text.place} {text.kind}: {text.text!r}"
        for text in shown_texts.said(window)
        if shown_texts.OPEN not in text.text
        and any(c.isalpha() for c in text.text)
        and not any(re.fullmatch(pattern, text.text, re.DOTALL) for pattern in DATA)
    }


VISITS = (("en", LARGE), ("en", SMALL), ("pseudo", SMALL), ("zh_CN", SMALL), ("zh_CN", LARGE))
"""Languages and sizes in the order in which they cost least."""


@pytest.mark.parametrize("scene", ["first", "broken", "full"])
def test_no_text_is_cut_or_left_in_english(
    qtbot: QtBot, qapp: QApplication, open_window: Open, known_texts: frozenset[tuple[str, str]], scene: str
) -> None:
    window = open_window(tour.scenes()[scene])
    cut, plain = set(), set()
    for stage in tour.walk(scene, window, waiting(qtbot)):
        # On the way to the last stage only what is harder than English at the large size.
        visits = VISITS if stage.name in {"measured", "first start"} else VISITS[2:4]
        for language, size in visits:
            with speaking(window, qapp, language, known_texts):
                window.resize(*size)
                for view, show in stage.views.items():
                    show()
                    settle(qapp)
                    cut |= {
                        f"{language} {size[0]} {view}: {why}"
                        for why in shown_texts.cut(window)
                        if language != "pseudo" or "wider than its page" not in why  # tables may
                    }
                    plain |= not_translated(window) if language == "pseudo" else set()
    assert not cut, "cut:\n  " + "\n  ".join(sorted(cut))
    assert not plain, "no translator sees:\n  " + "\n  ".join(sorted(plain))
    if scene == "full":
        switching_leaves_nothing_of_the_other_language(qtbot, qapp, open_window, window)


def switching_leaves_nothing_of_the_other_language(
    qtbot: QtBot, qapp: QApplication, open_window: Open, window: MainWindow
) -> None:
    """A window that was switched says the same, word for word, as one that was opened in that language."""
    said = {}
    for language in ("en", "zh_CN", "en"):
        window.choose_language(language)
        settle(qapp)
        words = said.setdefault(language, shown_texts.words(window))
        # Charts take turns in being drawn, and their legends come with them.
        qtbot.waitUntil(lambda words=words: shown_texts.words(window) == words, timeout=WAIT_MS)
    fresh = open_window(tour.scenes("zh_CN")["full"])
    fresh.resize(window.size())
    for stage in tour.walk("full", fresh, waiting(qtbot)):
        for show in stage.views.values():
            show()
            settle(qapp)
    qtbot.waitUntil(lambda: shown_texts.words(fresh) == said["zh_CN"], timeout=WAIT_MS)
    assert said["en"] != said["zh_CN"]


def test_no_text_is_cut_on_screens_of_other_scales() -> None:
    command = [sys.executable, "-m", "tests.ui.scaled_tour"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=150, check=False)
    *cut, looked = done.stdout.splitlines()
    assert (cut, done.returncode, done.stderr) == ([], 0, "")
    assert int(looked) == 3 * 5  # pages on screens, each truly at the scale of its screen


# -- figures -------------------------------------------------------------------------------------------------


@pytest.fixture
def writing() -> Iterator[Callable[[str], None]]:
    """Puts a locale in force for the test."""
    before = QLocale()
    yield lambda name: QLocale.setDefault(QLocale(name))
    QLocale.setDefault(before)


@pytest.mark.parametrize(
    ("system", "choice", "written"),
    [
        ("de_DE", "system", ("1,234.5", "11/29/00 6:20\u202fPM")),
        ("en_GB", "en", ("1,234.5", "29/11/2000 18:20")),
        ("en_ZA", "system", ("1\xa0234,5", "2000/11/29 18:20")),
        ("zh_CN", "system", ("1,234.5", "2000/11/29 18:20")),
        ("de_DE", "zh_CN", ("1,234.5", "2000/11/29 18:20")),
    ],
)
def test_figures_and_dates_are_written_as_the_language_does(  # noqa: PLR0917
    qapp: QApplication,
    monkeypatch: pytest.MonkeyPatch,
    writing: Callable[[str], None],
    system: str,
    choice: str,
    written: tuple[str, str],
) -> None:
    del writing  # it puts back what was in force
    monkeypatch.setattr(QLocale, "system", lambda: QLocale(system))
    language = Language(qapp, ROOT / "resources" / "i18n")
    language.choose(choice)
    language.stop()
    noon = datetime(2000, 11, 29, 18, 20).astimezone().isoformat()
    assert (figures_text.number(1234.5), texts.local_time(noon)) == written


@pytest.mark.parametrize(
    ("locale", "typed", "tokens"),
    [
        ("en_US", "8k", 8192),
        ("en_US", "16K", 16_384),
        ("en_US", "8192", 8192),
        ("en_US", "1.5k", 1536),
        ("en_US", "1,5k", None),
        ("en_US", "8,192", None),
        ("de_DE", "1,5k", 1536),
        ("de_DE", "1.5k", None),
        ("de_DE", "8.192", None),
        ("zh_CN", "１６ｋ", 16_384),
        ("zh_CN", "8 192", None),
        ("zh_CN", "12.3k", None),
        ("en_US", "1e4", None),
        ("en_US", "-8k", None),
        ("en_US", "900k", None),
    ],
)
def test_a_context_is_read_as_the_locale_writes_it_or_refused(
    qtbot: QtBot, writing: Callable[[str], None], locale: str, typed: str, tokens: int | None
) -> None:
    writing(locale)
    field = ContextSpin()
    qtbot.addWidget(field)
    field.setValue(4096)
    assert type_into(qtbot, field, typed) == ((tokens, False) if tokens else (4096, True))


@pytest.mark.parametrize("locale", ["en_US", "de_DE", "zh_CN"])
@pytest.mark.parametrize("typed", ["1,5", "1.5", "15.000", "15,000", "1 5", "three", "51", "0"])
def test_a_number_of_runs_is_never_misread(
    qtbot: QtBot, writing: Callable[[str], None], locale: str, typed: str
) -> None:
    writing(locale)
    field = NumberSpin(1, 50)
    qtbot.addWidget(field)
    field.setValue(3)
    value, refused = type_into(qtbot, field, typed)
    whole = (locale, typed) in {("en_US", "15.000"), ("zh_CN", "15.000"), ("de_DE", "15,000")}
    assert (value, refused) == ((15, False) if whole else (3, True))


def type_into(qtbot: QtBot, field: NumberSpin, typed: str) -> tuple[int, bool]:
    """Type key by key over what stands in a field; its value then, and whether it said why not."""
    said: list[str] = []
    field.refused.connect(said.append)
    field.selectAll()
    if typed.isascii():
        qtbot.keyClicks(field, typed)
    else:  # as an input method hands it over
        event = QInputMethodEvent()
        event.setCommitString(typed)
        QApplication.sendEvent(field, event)
    qtbot.keyClick(field, Qt.Key.Key_Return)
    return field.value(), bool(said and said[-1])


def test_what_was_not_taken_is_said_below_the_fields(qtbot: QtBot, open_window: Open) -> None:
    bar = open_window().tune.measure
    assert not bar.wrong.isVisible()
    type_into(qtbot, bar.runs, "1,5")
    assert bar.wrong.isVisible()
    assert bar.wrong.text() == "“1,5” is not read as a whole number; 3 stays. Write it as 3."
    assert bar.runs.accessibleDescription() == bar.wrong.text()
    assert bar.runs.text() == "3"
    type_into(qtbot, bar.runs, "51")
    assert bar.wrong.text() == "51 is not within 1 and 50; 3 stays."
    type_into(qtbot, bar.context, "8,192")
    assert "Write it as 8k or 8192" in bar.wrong.text()
    type_into(qtbot, bar.runs, "5")
    assert not bar.wrong.isVisible()
    assert bar._bench.runs == 5


def test_every_field_for_a_number_is_one_of_these() -> None:
    fields = re.compile(r"\bQ(Double)?SpinBox\(|setInputMask|QIntValidator|QDoubleValidator")
    found = [p.name for p in source_texts.UI.rglob("*.py") if fields.search(p.read_text(encoding="utf-8"))]
    assert found == []
