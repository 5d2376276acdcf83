"""What people read: Markdown that shows text as it is, a card without names, a page that loads nothing."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qtune.core.errors import KnownError
from qtune.core.report_texts import REPORT_LABELS
from qtune.core.settings import ServerSettings
from qtune.core.taken_in import RunMarks
from qtune.report.export_run import ExportRun
from qtune.report.html_report import html_report
from qtune.report.markdown import record_table, share_card, share_cards
from qtune.report.markdown_text import escaped
from qtune.report.svg import COLOURS, Bar, Series, bars, lines
from qtune.report.words import Words
from tests.unit.report.exported import comparison, requests_of, run, with_text


class Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def page(runs: list[ExportRun], **more: object) -> Reader:
    reader = Reader()
    reader.feed(html_report(runs, **more))  # type: ignore[arg-type]
    reader.close()
    return reader


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("12.5 (11.0–13.0)", "12.5 (11.0–13.0)"),
        ("-3 %", "-3 %"),
        ("Q4_K_M", r"Q4\_K\_M"),
        ("a|b", r"a\|b"),
        ("<img src=x>", "&lt;img src=x&gt;"),
        ("[x](javascript:y)", r"\[x\](javascript:y)"),
        ("`*~", r"\`\*\~"),
        ("1. list", r"1\. list"),
        ("- list", r"\- list"),
        ("two\nlines\u2028end", "two lines end"),
        ("http://a.b", "http&#58;//a.b"),
        ("www.a.b", "www&#46;a.b"),
        ("@user", "@\u2060user"),
        ("AT&T &lt;", "AT&amp;T &amp;lt;"),
    ],
)
def test_markdown_shows_text_as_it_is(text: str, shown: str) -> None:
    assert escaped(text) == shown


@given(st.text())
def test_no_text_leaves_its_cell(text: str) -> None:
    shown = escaped(text)
    assert "\n" not in shown
    assert not re.search(r"(?<!\\)(?:\\\\)*\|", shown)
    assert "<" not in shown


def test_the_record_has_a_row_for_each_run() -> None:
    rows = record_table(comparison(2)).split("\n")[2:-1]
    assert len(rows) == 4
    assert "| balanced | 1 | 8192 | draft-mtp, n-max 4, n-min 0, p-min 0 | 71.7 (71.0–72.4) | 200" in rows[1]
    assert all(row.count(" | ") == rows[0].count(" | ") for row in rows)


SECRETS = ("/home/alice/models", "alice", "C:\\Users", "workstation-7")


def private(source: ExportRun) -> ExportRun:
    """The run on a computer whose every path names its owner."""
    one = source.run
    place = "/home/alice/models/workstation-7/Qwen.gguf"
    ref = replace(one.engine.ref, command=(place,), path=place)
    model = replace(one.model, path=place, files=(place,), name="C:\\Users\\alice\\models\\Qwen3.6")
    changed = replace(one, model=model, engine=replace(one.engine, ref=ref), argv=(place, "--model", place))
    return replace(source, run=changed)


def test_what_is_shared_names_no_place_and_nobody() -> None:
    runs = [private(source) for source in comparison(3)]
    for text in (share_card(runs), record_table(runs), html_report(runs)):
        assert not [secret for secret in SECRETS if secret in text]
        assert "Qwen3.6" in text


def test_a_gain_without_an_interval_has_no_bounds() -> None:
    """One text in three starts: the smallest and largest of three pairs would be taken for one."""
    bounds = re.compile(r"\+\d\d\.\d % \([+-]")
    for make in (share_card, html_report):
        assert re.search(r"\+\d\d\.\d %", make(comparison(3)))
        assert not bounds.search(make(comparison(3)))
        assert bounds.search(make(comparison(6)))


@pytest.mark.parametrize(
    "text",
    [
        "/home/alice/models/x.gguf",
        "C:\\Users\\alice\\x",
        "alice@workstation-7",
        "~alice/x",
        "//workstation-7/alice/x",
        "file:///home/alice/model.gguf",
        "file:alice/x-ab12cd",
    ],
)
def test_no_text_of_a_record_names_a_place_or_somebody(text: str) -> None:
    """Whatever field it stands in: versions and drivers are texts of others too."""
    for shown in (share_card(with_text(text)), record_table(with_text(text)), html_report(with_text(text))):
        assert not [secret for secret in SECRETS if secret in shown.replace("\u2060", "")]


def test_the_card_says_what_a_reader_must_know() -> None:
    card = share_card(comparison(3), model_sha256="ab" * 32, display="headless")
    for fact in (
        "Qwen3.6 27B 通义", r"Q4\_K\_M", "ab" * 32, "11434 (abc1234)", "driver 570.1", "power limit 450 W",
        "Linux 6.8 中文, headless", "8192 tokens, 1 parallel", "K f16, V f16", "draft-mtp, n-max 4",
        "18 requests in 3 starts", "1.00 GiB → 17.00 GiB → 18.00 GiB / 24.00 GiB", "code",
    ):  # fmt: skip
        assert fact in card, fact
    assert "not known" in share_card(comparison(1))


def elsewhere(runs: list[ExportRun], experiment: str, rate: float) -> list[ExportRun]:
    """The same arms measured another time, all of them at one rate."""
    return [
        replace(s, run=replace(s.run, id=s.run.id + experiment, experiment_id=experiment),
                requests=requests_of(s.run.id + experiment, rate))
        for s in runs
    ]  # fmt: skip


def test_arms_of_two_experiments_are_not_one_arm() -> None:
    both = comparison(3) + elsewhere(comparison(3), "e2", 10.0)
    apart = [share_card(comparison(3)), share_card(elsewhere(comparison(3), "e2", 10.0))]
    assert share_cards(both) == "\n".join(apart)
    html = html_report(both)
    assert html.count("<article>") == 2
    for one in (comparison(3), elsewhere(comparison(3), "e2", 10.0)):
        mine = html_report(one)
        assert mine[mine.index("<article>") : mine.index("</article>")] in html
    many = [s for n in range(21) for s in elsewhere(comparison(1), f"e{n}", 10.0)]
    for make in (share_cards, html_report):
        with pytest.raises(KnownError, match="up to 20 experiments, and more"):
            make(many)
        read: list[ExportRun] = []
        with pytest.raises(KnownError):
            make(read.append(source) or source for source in many * 100)
        assert len(read) == 41  # no further than the first run that is one experiment too many


def test_a_card_names_outliers_and_no_file_of_a_prompt() -> None:
    first, *rest = comparison(1)
    mine = [replace(q, prompt_id="file:my letter.txt-ab12cd") for q in first.requests]
    card = share_card([replace(first, requests=tuple(mine), marks=RunMarks(outlier=True)), *rest])
    assert "own prompt ab12cd" in card
    assert "letter" not in card + html_report([replace(first, requests=tuple(mine))])
    assert "1 of 2 starts are marked so" in card
    assert "6 requests in 1 start" in card
    assert "starts" not in share_card(rest)


@pytest.mark.parametrize("make", [share_card, record_table, html_report])
def test_runs_without_figures_have_a_face(make: Callable[[list[ExportRun]], str]) -> None:
    failed = replace(run("balanced"), memory=None, gpus=(), mtp_active=False, settings_effective=None)
    for runs in ([ExportRun(failed)], [ExportRun(failed), ExportRun(run("off"), requests_of("off-1", 40.0))]):
        text = make(runs)
        assert "–" in text
        assert "nan" not in text.lower()


def test_the_page_is_one_file_that_loads_nothing() -> None:
    found = page(comparison(3))
    tags = [tag for tag, _ in found.tags]
    assert not set(tags) & {"script", "link", "img", "iframe", "a", "object", "form"}
    addresses = {v for _, attrs in found.tags for v in attrs.values() if v and "://" in v}
    assert addresses <= {"http://www.w3.org/2000/svg"}
    html = html_report(comparison(3))
    assert "url(" not in html
    assert "@import" not in html
    assert "prefers-color-scheme: dark" in html
    assert "@media print" in html
    assert tags.count("svg") == 3
    assert "71." in found.text


@given(st.text(max_size=20))
@settings(max_examples=20, deadline=None)
def test_no_text_becomes_markup(text: str) -> None:
    hostile = f"<script>alert(1)</script>\"'&{text}"
    plain = [tag for tag, _ in page(with_text("x")).tags]
    assert [tag for tag, _ in page(with_text(hostile)).tags] == plain


def many_arms() -> list[ExportRun]:
    """More arms than stand side by side, each with settings of its own."""
    arms = [
        run(f"n{n}", settings_requested=ServerSettings().with_values({"mtp": True, "n_max": n}))
        for n in range(1, 8)
    ]
    return [ExportRun(one, requests_of(one.id, 40.0 + 5 * n, mtp=True)) for n, one in enumerate(arms)]


def test_every_label_goes_through_the_translator() -> None:
    asked: set[tuple[str, str]] = set()

    def marked(context: str, text: str) -> str:
        asked.add((context, text))
        return f"«{text}»"

    spilled = [
        replace(s.run.memory, spill=spill)
        for s in comparison(1)[:1]
        for spill in ("yes", "unknown")
        if s.run.memory
    ]
    words = Words("zh-CN", marked, arm=lambda name: f"<{name}>", prompt=str.upper)
    for runs in (
        [replace(source, marks=RunMarks(outlier=True)) for source in comparison(4)],
        many_arms(),
        [replace(comparison(1)[0], run=run("off", memory=m)) for m in spilled],
    ):
        found = page(runs, words=words)
        assert dict(found.tags)["html"] == {"lang": "zh-CN"}
    one = [replace(comparison(1)[0], run=run("off", memory=spilled[1]))]
    page(one, words=words)
    labels = {text for context, text in asked if context == "report"}
    assert labels >= set(REPORT_LABELS.values())
    assert {context for context, _ in asked} == {"report", "messages", "settings", "states"}


def test_arms_and_prompts_have_their_names_in_the_language_in_force() -> None:
    words = Words(
        "de", say=lambda message: f"[{message.code}]", arm=lambda name: f"-{name}-", prompt=str.upper
    )
    found = page(comparison(4), words=words)
    assert "-balanced-" in found.text
    assert not re.search(r"(?<!-)balanced(?!-)", found.text)
    assert "CODE" in found.text
    assert "[verdict_" in found.text


def test_settings_that_are_equal_stand_once() -> None:
    html = html_report(comparison(3))
    differ, equal = html.index("Settings that differ"), html.index("Settings of all arms")
    assert html.count(">Draft length n_max<") == html.count(">Context<") == 1
    assert differ < html.index(">Draft length n_max<") < equal < html.index(">Context<")
    seven = html_report(many_arms())
    assert seven.count('scope="col">n7<') == 1  # of the settings; figures have a line for each arm


def test_figures_nobody_counted_make_no_empty_charts() -> None:
    assert "<svg" not in html_report([ExportRun(run("balanced"))])


def test_charts_show_what_they_are_given() -> None:
    picture = bars(
        [Bar("off <b>", 40.0, 38.0, 42.0, COLOURS[0]), Bar("gone", None, None, None, COLOURS[1])], "x"
    )
    assert picture.count("<rect") == 1
    assert "off &lt;b&gt;" in picture
    below = bars([Bar("slow", -12.5, -20.0, 3.0, COLOURS[2], "-12.5 %")], "%")
    assert "-12.5 %" in below
    line = lines([Series("a", (1.0, None, 2.0, 3.0), COLOURS[0]), Series("b", (), COLOURS[1])], "n", "y")
    assert (line.count("<circle"), line.count("<polyline")) == (1, 1)
    assert lines([], "n", "y").count("<polyline") == 0
    for text in (picture, below, line):
        assert "nan" not in text
        assert not re.search(r"class=|style=|hsl", text)


def test_charts_are_drawn_by_qt(tmp_path: Path, qapp: object) -> None:
    """The same picture goes into PDF, where Qt draws nothing for what it does not know."""
    from PySide6.QtGui import QColor, QImage, QPainter  # noqa: PLC0415
    from PySide6.QtSvg import QSvgRenderer  # noqa: PLC0415

    del qapp, tmp_path
    picture = bars(
        [Bar("off", 40.0, 38.0, 42.0, COLOURS[0]), Bar("on", 70.0, 66.0, 74.0, COLOURS[1])],
        "x",
        ink="#222222",
    )
    renderer = QSvgRenderer(picture.encode())
    assert renderer.isValid()
    image = QImage(renderer.defaultSize(), QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    painter = QPainter(image)
    renderer.render(painter)
    painter.end()
    seen = {
        image.pixelColor(x, y).name() for x in range(0, image.width(), 3) for y in range(0, image.height(), 3)
    }
    # 75 % of the colour on white, and the ink of the interval.
    for colour in COLOURS[:2]:
        mixed = QColor(colour)
        whitened = [round(c * 0.75 + 255 * 0.25) for c in (mixed.red(), mixed.green(), mixed.blue())]
        assert any(
            max(abs(a - b) for a, b in zip(whitened, QColor(s).getRgb()[:3], strict=True)) <= 2 for s in seen
        )
