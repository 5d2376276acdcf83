"""What sets runs apart, and when their figures must not be held against each other."""

from __future__ import annotations

from dataclasses import replace

from qtune.core.records import Sampling
from qtune.core.run_difference import (
    LLAMA_BENCH,
    changed_settings,
    differing_facts,
    differing_settings,
    unfair,
)
from tests.service.store.made import full_run
from tests.unit.core.by_hand import request, run

OFF, ON = run("off"), run("balanced")
ON = replace(ON, settings_requested=ON.settings_requested.with_values({"mtp": True, "n_max": 4}))


def codes(*measured: tuple[object, list[object]]) -> list[str]:
    return [message.code for message in unfair(measured)]  # type: ignore[arg-type]


def test_only_settings_that_differ_are_named_with_the_value_of_each_run() -> None:
    assert differing_settings([OFF, OFF]) == {}
    found = differing_settings([OFF, ON, OFF])
    assert found["mtp"] == (False, True, False)
    usual = OFF.settings_requested.n_max
    assert found["n_max"] == (usual, 4, usual)
    assert "ctx_size" not in found
    assert changed_settings(OFF.settings_requested) == {}
    assert changed_settings(ON.settings_requested)["mtp"] is True


def test_arms_of_one_comparison_are_fair_also_with_other_seeds_and_settings() -> None:
    other_seed = request(sampling=Sampling(seed=7))
    assert codes((OFF, [request()]), (ON, [other_seed, request()])) == []


def test_each_unfairness_has_its_own_sentence_with_the_values() -> None:
    mine = full_run()
    mine = replace(mine, gpus=mine.gpus[:1], machine=replace(mine.machine, qtune="0.1.0"))
    engine = replace(mine.engine, version="12000 (fff)")
    others = {
        "unfair_engine": (replace(mine, engine=engine), [request()]),
        "unfair_card": (replace(mine, gpus=(replace(mine.gpus[0], name="RTX 3090"),)), [request()]),
        "unfair_model": (replace(mine, model=replace(mine.model, quant="Q8_0")), [request()]),
        "unfair_prompts": (mine, [request(prompt_id="json")]),
        "unfair_sampling": (mine, [request(sampling=Sampling(temperature=1))]),
        "unfair_host": (replace(mine, machine=replace(mine.machine, cpu="Intel")), [request()]),
        "unfair_driver": (replace(mine, gpus=(replace(mine.gpus[0], driver="580.2"),)), [request()]),
        "unfair_power": (replace(mine, gpus=(replace(mine.gpus[0], power_limit_w=250.0),)), [request()]),
        "unfair_harness": (replace(mine, machine=replace(mine.machine, qtune="0.2.0")), [request()]),
    }
    for code, other in others.items():
        (message,) = unfair([(mine, [request()]), other])
        assert message.code == code
        assert message.hint()
    (said,) = unfair([(mine, [request()]), others["unfair_engine"]])
    assert "11434 (abc1234); 12000 (fff)" in said.sentence()
    builds = [replace(mine, engine=replace(engine, version=f"{n}")) for n in (1, 2, 3, 4)]
    (said,) = unfair([(one, [request()]) for one in builds])
    assert "4 different builds of the engine: 1; 2; +2." in said.sentence()
    assert differing_facts([mine, others["unfair_driver"][0]]) == {"driver": ("570.1", "580.2")}
    # A longer answer is another question, too.
    assert codes((mine, [request()]), (mine, [request(max_tokens=7)])) == ["unfair_prompts"]
    (said,) = unfair([(mine, [request()]), others["unfair_sampling"]])
    assert "temperature 0; temperature 1" in said.sentence()  # nothing of what is equal


def test_what_llama_bench_measured_is_not_held_against_ours_without_a_word() -> None:
    pair = [(OFF, [request()]), (ON, [request()])]
    assert [m.code for m in unfair(pair, ("compare", LLAMA_BENCH))] == ["unfair_imported"]
    assert unfair(pair, (LLAMA_BENCH, LLAMA_BENCH)) == []


def test_a_moved_file_is_the_same_model_and_a_run_without_figures_asks_nothing() -> None:
    mine = full_run()
    moved = replace(mine, model=replace(mine.model, path="/elsewhere.gguf"))
    assert codes((mine, [request()]), (moved, [request(phase="warmup", prompt_id="other")])) == []
