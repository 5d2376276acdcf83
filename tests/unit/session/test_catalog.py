"""The shipped workloads are complete, ask for what is checked, and fit the model they are meant for."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from qtune.core.errors import KnownError
from qtune.core.filler import estimate_prompt, filled
from qtune.core.form import FORMS, check_form
from qtune.core.workload import DOMAINS, FULL_SET, SAMPLE_DOMAIN, Workload
from qtune.models.sample_text import KNOWN_TEXT, PARTS, START_PARTS
from qtune.session.catalog import (
    default_set,
    find_workload,
    load_filler,
    load_workloads,
    of_domains,
    own_prompt,
)

RESOURCES = Path(__file__).parents[3] / "resources"
WORKLOADS = load_workloads(RESOURCES)
SHIPPED = [w for w in WORKLOADS if w.domain != SAMPLE_DOMAIN]
SAMPLES = [w for w in WORKLOADS if w.domain == SAMPLE_DOMAIN]
HIVES = json.dumps(
    {
        "date": "2026-04-18",
        "weather": "mild, cloudless, light east wind",
        "hives": [
            {
                "name": name,
                "queen_seen": seen,
                "brood_frames": frames,
                "stores_kg": stores,
                "mood": mood,
                "actions": actions,
            }
            for name, seen, frames, stores, mood, actions in (
                ("Plumstone", True, 8, 12.5, "calm", ["split"]),
                ("Fencepost", False, 6, 3, "nervous", ["feed", "treat"]),
                ("Millrace", True, 7, 9, "aggressive", ["requeen"]),
                ("Bellcast", True, 4, None, "calm", []),
                ("Lantern", False, 0, 1.5, "calm", ["unite"]),
            )
        ],
    },
    indent=2,
)


def test_every_domain_is_there_in_both_languages() -> None:
    assert {(w.domain, w.language) for w in SHIPPED} == {(d, lang) for d in DOMAINS for lang in ("en", "zh")}
    assert len({w.id for w in WORKLOADS}) == len(WORKLOADS)
    assert WORKLOADS[0].id == "summary"


@pytest.mark.parametrize("workload", SHIPPED, ids=lambda w: w.id)
def test_a_shipped_workload_has_the_length_and_language_it_promises(workload: Workload) -> None:
    w = workload
    assert 400 <= w.max_tokens <= 512
    assert w.form == "" or w.form in FORMS
    text = w.messages[0].content
    chinese = len(re.findall(r"[\u4e00-\u9fff]", text)) / len(text)
    assert chinese > 0.3 if w.language == "zh" else chinese == 0
    assert "{schema}" not in text
    if w.domain == "summary":
        assert 1000 <= estimate_prompt(w) <= 2000


def test_the_schemas_accept_the_answer_they_ask_for_and_refuse_another() -> None:
    english, chinese = of_domains(WORKLOADS, ["json"], "en")[0], of_domains(WORKLOADS, ["json"], "zh")[0]
    words = {"calm": "温和", "nervous": "不安", "aggressive": "凶", "feed": "喂糖", "split": "分群"}
    words |= {"treat": "治螨", "requeen": "换王", "unite": "合并", "date": "日期", "weather": "天气"}
    words |= {"hives": "蜂箱", "name": "名称", "queen_seen": "见到蜂王", "brood_frames": "子脾数"}
    words |= {"stores_kg": "存蜜公斤", "mood": "脾气", "actions": "处理"}
    translated = HIVES
    for word, other in words.items():
        translated = translated.replace(f'"{word}"', f'"{other}"')
    for w, text in ((english, HIVES), (chinese, translated)):
        assert w.schema in w.messages[0].content
        assert check_form(w.form, text, w.schema) is True
        assert check_form(w.form, text.replace("8", '"8"'), w.schema) is False
    assert check_form(english.form, translated, english.schema) is False


def test_the_answer_in_json_ends_well_before_the_token_limit() -> None:
    # Short pieces of words, digits, blanks and punctuation each by itself: more than a real vocabulary makes.
    pieces = re.findall(r"[A-Za-z]{1,6}|\d|\s+|[^\sA-Za-z\d]+", HIVES)
    assert len(pieces) < 0.8 * find_workload(WORKLOADS, "json").max_tokens


def test_the_sample_prompts_are_words_the_sample_knows() -> None:
    known = set(re.findall(r"[A-Za-z]+", " ".join((KNOWN_TEXT, *PARTS))))
    assert len(SAMPLES) == len(FULL_SET)
    for w in SAMPLES:
        words = re.findall(r"[A-Za-z]+|[^\sA-Za-z]", w.messages[0].content)
        assert len(words) <= 60 - 20, "nonce and template come on top"
        assert {word for word in words if word.isalpha()} <= known
    # The length of the prompt picks where the answer begins; three prompts should give three answers.
    assert len({len(w.messages[0].content) % START_PARTS for w in SAMPLES}) == len(SAMPLES)


@pytest.mark.parametrize(
    ("sample", "language", "form", "ids"),
    [
        (False, "en", "quick", ["summary"]),
        (False, "zh", "quick", ["summary_zh"]),
        (False, "en", "full", ["summary", "code", "mathematics"]),
        (False, "zh", "full", ["summary_zh", "code_zh", "mathematics_zh"]),
        (False, "fr", "full", ["summary", "code", "mathematics"]),
        (True, "zh", "quick", ["sample"]),
        (True, "en", "full", ["sample", "sample_two", "sample_three"]),
    ],
)
def test_the_default_set(sample: bool, language: str, form: str, ids: list[str]) -> None:
    found = default_set(WORKLOADS, sample=sample, language=language, form=form)  # type: ignore[arg-type]
    assert [w.id for w in found] == ids


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_filler_is_varied_prose_and_reaches_the_deepest_step(language: str) -> None:
    paragraphs = load_filler(RESOURCES, language)
    assert len(set(paragraphs)) == len(paragraphs) >= 30
    assert len({p[:12] for p in paragraphs}) == len(paragraphs)
    found = filled(
        default_set(WORKLOADS, sample=False, language=language, form="quick")[0], paragraphs, 32_000, 1
    )
    assert found.tokens == pytest.approx(32_000, rel=0.01)


def test_the_users_own_file_is_a_workload_without_a_form(tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_bytes("\ufeff 请总结。 \r\n".encode())
    w = own_prompt(path)
    assert (w.domain, w.form, w.messages[0].content) == ("own", "", "请总结。")


@pytest.mark.parametrize(("content", "reason"), [(b" \n", "empty"), ("总结".encode("gbk"), "UTF-8")])
def test_an_empty_file_and_another_encoding_are_refused(tmp_path: Path, content: bytes, reason: str) -> None:
    path = tmp_path / "mine.txt"
    path.write_bytes(content)
    with pytest.raises(KnownError, match=reason):
        find_workload(WORKLOADS, f"@{path}")
