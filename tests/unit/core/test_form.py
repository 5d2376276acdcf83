"""Answers that kept their form pass, answers a reader or a program would stumble over do not."""

from __future__ import annotations

import json

import pytest

from qtune.core.errors import BugError
from qtune.core.form import JSON_SCHEMA, TEN_BULLETS, check_form

POINTS = [
    ("Card holders rose by 611", "growth shows that the library is wanted."),
    ("The branch grew by 31 %", "late evenings bring new visitors."),
    ("E-loans grew by 22 %", "licences will need a larger budget."),
    ("Children's books rose in print", "they are the largest group in use."),
    ("The north roof needs replacing", "patches cost 8,000 a year and do not help."),
    ("New lamps cut electricity by a fifth", "the complaints stopped as well."),
    ("A post was vacant for five months", "volunteers had to keep Saturdays open."),
    ("Reading hours are full", "sixty families are waiting."),
    ("Wi-Fi fails in the branch", "1.5 thousand would end nineteen days of trouble."),
    ("Late fees cost 380 hours", "neighbours gave them up without harm."),
]
POINTS_ZH = [
    ("持证读者增加611人", "说明图书馆受到欢迎。"),
    ("分馆到馆人次增长百分之三十一", "延长开放时间带来了新读者。"),
    ("电子借阅上升", "授权费将超过纸质书预算。"),
    ("儿童读物逆势增长", "它已是借阅量最大的一类。"),
    ("北侧屋顶需要更换", "修补每年花费8000元却不更安全。"),
    ("新灯具省电五分之一", "光线投诉也随之消失。"),
    ("岗位空缺五个月", "全靠志愿者维持周六开放。"),
    ("故事时间场场满员", "还有六十个家庭在等候。"),
    ("分馆无线网络常出故障", "一台接入点只需1400元。"),
    ("罚款占用380个工时", "邻镇取消后还书更多。"),
]


def bullets(style: str = "- {point}. Reason: {reason}", points: list[tuple[str, str]] = POINTS) -> str:
    return "\n".join(style.format(n=n, point=p, reason=r) for n, (p, r) in enumerate(points, 1))


def answer(title: str = "A year of growth and a leaking roof", **kwargs: object) -> str:
    return f"{title}\n\n{bullets(**kwargs)}"  # type: ignore[arg-type]


def kept(text: str, *, finished: bool = True) -> bool | None:
    return check_form(TEN_BULLETS, text, finished=finished)


@pytest.mark.parametrize(
    "style",
    [
        "- {point}. Reason: {reason}",
        "* **{point}.** *Reason:* {reason}",
        "• {point}. **Reason:** {reason}\n",
        "{n}. {point}.\n   Reason: {reason}",
        "**{n}. {point}**\n\nReason: {reason}\n",
        "{n}) {point}\n    - Reason: {reason}",
        "- {point}\n- Reason: {reason}",
        "{n}. **{point}**\n\n   It matters here.\n\n   **Reason**: {reason}\n",
    ],
)
@pytest.mark.parametrize("title", ["A year of growth", "# A year of growth", "**Title: Growth**\n\n---"])
def test_common_ways_to_write_ten_bullets_pass(style: str, title: str) -> None:
    assert kept(answer(title, style=style)) is True


@pytest.mark.parametrize(
    "style",
    [
        "- {point}。理由：{reason}",
        "-{point}。理由：{reason}",
        "{n}、{point}\n理由：{reason}",
        "{n}. **{point}**\n   **理由：**{reason}",
        "{n}.{point}。原因: {reason}",
        "（{n}）{point}。理由：{reason}",
    ],
)
def test_chinese_ways_pass(style: str) -> None:
    assert kept(answer("发展中的图书馆与漏水的屋顶", style=style, points=POINTS_ZH)) is True


@pytest.mark.parametrize("marks", ["一二三四五六七八九十", "①②③④⑤⑥⑦⑧⑨⑩"])
def test_chinese_numerals_and_circled_numbers_pass(marks: str) -> None:
    after = "、" if marks.startswith("一") else " "
    lines = [f"{m}{after}{p}。理由：{r}" for m, (p, r) in zip(marks, POINTS_ZH, strict=True)]
    assert kept("图书馆的一年\n" + "\n".join(lines)) is True


def test_reasoning_left_in_the_answer_is_no_part_of_it() -> None:
    assert kept("<think>\n1. first\n2. second\n</think>\n\n" + answer()) is True


@pytest.mark.parametrize(
    ("broken", "why"),
    [
        ("", "nothing"),
        (bullets(), "no title"),
        ("Here is the summary:\n\n" + answer(), "words before the title"),
        (answer(points=POINTS[:9]), "nine"),
        (answer(points=[*POINTS, ("One more", "because there was room.")]), "eleven"),
        (answer() + "\n\nI hope this helps!", "words after the last"),
        (answer().replace("Reason: sixty families are waiting.", ""), "a reason is missing"),
        (answer().replace("Reason: sixty families are waiting.", "Reason:"), "an empty reason"),
        (answer().replace("Reading hours are full. ", ""), "a reason without a point"),
        (answer(style="{point}. Reason: {reason}"), "no bullets at all"),
        (answer().replace("- Wi-Fi", "\n## Outlook\n- Wi-Fi"), "a heading in between"),
        ("The library did well this year, and the roof leaked.", "prose"),
        (answer("图书馆的一年", style="- {point}。{reason}", points=POINTS_ZH), "reasons unmarked"),
    ],
)
def test_a_broken_form_is_seen(broken: str, why: str) -> None:
    assert kept(broken) is False, why


def test_a_cut_answer_is_not_blamed_for_its_last_bullet() -> None:
    text = answer()
    for end in ("Reason: neighbours", "Late fees", "- Late"):
        cut = text[: text.index(end) + 5]
        assert kept(cut, finished=False) is True
        assert kept(cut) is False, "the same text, ended by the model itself, is incomplete"


def test_a_cut_answer_is_blamed_for_what_is_complete() -> None:
    text = answer().replace("Reason: growth shows that the library is wanted.", "")
    assert kept(text[:-10], finished=False) is False
    eleven = answer(points=[*POINTS, ("One more", "because there was room.")])
    assert kept(eleven[:-30], finished=False) is False
    assert kept(bullets()[:-10], finished=False) is False


@pytest.mark.parametrize("visible", [0, 10, 100, 300])
def test_too_little_of_a_cut_answer_says_nothing(visible: int) -> None:
    assert kept(answer()[:visible], finished=False) is None


SCHEMA = json.dumps(
    {
        "type": "object",
        "required": ["name", "frames", "mood"],
        "additionalProperties": False,
        "properties": {
            "name": {"type": "string"},
            "frames": {"type": "integer", "minimum": 0, "maximum": 20},
            "stores": {"type": ["number", "null"]},
            "seen": {"type": "boolean"},
            "mood": {"enum": ["calm", "nervous"]},
            "actions": {"type": "array", "maxItems": 2, "items": {"enum": ["feed", "treat"]}},
            "level": {"enum": [1, 2]},
        },
    }
)
GOOD = '{"name": "梅核", "frames": 8, "stores": 12.5, "seen": true, "mood": "calm", "actions": ["feed"]}'


def valid(text: str, *, finished: bool = True) -> bool | None:
    return check_form(JSON_SCHEMA, text, SCHEMA, finished=finished)


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"\n {GOOD}\n",
        f"```json\n{GOOD}\n```",
        f"```\n{GOOD}\n```\n",
        f"<think>\n\n</think>\n\n{GOOD}",
        '{"name": "", "frames": 8.0, "mood": "nervous", "stores": null, "actions": []}',
    ],
)
def test_json_that_fits_passes(text: str) -> None:
    assert valid(text) is True


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "nothing"),
        (f"Here it is:\n{GOOD}", "words before"),
        (f"```json\n{GOOD}\n```\nDone.", "words after the fence"),
        (GOOD + GOOD, "two values"),
        (GOOD[:-1], "not closed"),
        (GOOD.replace("true", "True"), "Python's spelling"),
        (GOOD.replace('"', "'"), "single quotes"),
        (GOOD.replace("}", ",}"), "a comma too many"),
        (GOOD.replace("12.5", "NaN"), "NaN"),
        (GOOD.replace("12.5", "-Infinity"), "Infinity"),
        (GOOD.replace("12.5", "1e999"), "a number no double holds"),
        (GOOD.replace("8,", "9" * 5000 + ","), "a whole number no double holds"),
        (GOOD.replace('{"name"', '{"frames": 3, "name"'), "a key twice"),
        (GOOD.replace('"mood": "calm", ', ""), "a required key is missing"),
        (GOOD.replace("calm", "friendly"), "not one of the words"),
        (GOOD.replace("8,", '"8",'), "a string for a number"),
        (GOOD.replace("8,", "8.5,"), "not whole"),
        (GOOD.replace("8,", "true,"), "a truth value is no number"),
        (GOOD.replace("8,", "-1,"), "below the minimum"),
        (GOOD.replace("8,", "21,"), "above the maximum"),
        (GOOD.replace("12.5", '"12.5"'), "neither number nor null"),
        (GOOD.replace('["feed"]', '"feed"'), "not a list"),
        (GOOD.replace('["feed"]', '["feed", "wash"]'), "an item that is not allowed"),
        (GOOD.replace('["feed"]', '["feed", "treat", "feed"]'), "too many items"),
        (GOOD.replace("}", ', "note": "x"}'), "a key that is not allowed"),
        (GOOD.replace("}", ', "level": true}'), "true is not 1"),
        (f"[{GOOD}]", "a list around it"),
        ("[" * 200_000, "too deep to parse"),
    ],
)
def test_json_that_does_not_fit_is_refused(text: str, why: str) -> None:
    assert valid(text) is False, why


def test_cut_json_cannot_be_judged() -> None:
    assert valid(GOOD[:30], finished=False) is None


def test_a_schema_that_asks_for_more_than_is_checked_is_a_bug() -> None:
    with pytest.raises(BugError, match="pattern"):
        check_form(JSON_SCHEMA, '"x"', '{"type": "string", "pattern": "y"}')


def test_no_form_is_unknown_and_an_unknown_form_is_a_bug() -> None:
    assert check_form("", "anything") is None
    with pytest.raises(BugError, match="haiku"):
        check_form("haiku", "anything")
