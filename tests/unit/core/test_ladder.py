"""The ladder: fixed order, every click does something, and every step can be undone."""

from hypothesis import given
from hypothesis import strategies as st

from qtune.core.ladder import CONTEXT_STEPS, Footing, Ladder, LadderFacts, OtherModel, Rung, next_context
from qtune.core.settings import ServerSettings

Q6, Q4, Q3 = (OtherModel(f"/m/{name}.gguf", name, size) for name, size in (("Q6", 6), ("Q4", 4), ("Q3", 3)))
SMALL = OtherModel("/m/small.gguf", "small", 1, context_train=8192)


def ladder(
    settings: ServerSettings,
    smaller: tuple[OtherModel, ...] = (),
    fallback: OtherModel | None = None,
    *,
    gentle: bool = False,
) -> Ladder:
    return Ladder(LadderFacts(Footing("/m/q8.gguf", settings, "balanced"), smaller, fallback, gentle))


def kinds(rungs: tuple[Rung, ...]) -> list[str]:
    return [rung.kind for rung in rungs]


def test_the_order_is_mtp_then_context_then_quantisation_then_the_fallback() -> None:
    full = ladder(ServerSettings(mtp=True, ctx_size=65536), (Q6, Q4), SMALL)
    assert kinds(full.rungs_below()) == [
        "mtp_off", "context", "context", "context", "context", "quantisation", "quantisation", "fallback",
    ]  # fmt: skip
    foot = full.rungs_below()[-1].after
    assert foot.model_path == SMALL.path
    assert (foot.settings.mtp, foot.settings.ctx_size) == (False, 4096)
    assert [r.after.settings.ctx_size for r in full.rungs_below()][1:5] == [32768, 16384, 8192, 4096]


def test_one_click_each_from_the_sample_to_its_smaller_sibling() -> None:
    steps = ladder(ServerSettings(mtp=True, n_max=4, ctx_size=4096), (Q4,))
    assert kinds(steps.rungs_below()) == ["mtp_off", "context", "quantisation"]
    assert steps.down().down().current.settings.ctx_size == 2048
    assert steps.down().down().down().current.model_path == Q4.path


def test_gentle_steps_come_before_mtp_is_given_up_and_only_where_they_change_something() -> None:
    odd = ServerSettings(mtp=True, n_max=6, draft_cache_type_k="q8_0", ubatch_size=2048)
    assert kinds(ladder(odd, gentle=True).rungs_below())[:4] == ["n_max", "draft_types", "ubatch", "mtp_off"]
    assert kinds(ladder(odd).rungs_below())[0] == "mtp_off"
    plain = ServerSettings(mtp=True, n_max=2)
    assert kinds(ladder(plain, gentle=True).rungs_below())[0] == "mtp_off"


def test_a_model_in_the_middle_of_its_siblings_goes_to_the_next_smaller_one() -> None:
    at = Ladder(LadderFacts(Footing(Q6.path, ServerSettings(ctx_size=4096)), (Q4, Q3)))
    assert [r.model_label for r in at.rungs_below() if r.kind == "quantisation"] == ["Q4", "Q3"]


def test_the_fallback_never_gets_more_context_than_it_was_trained_for() -> None:
    tiny = OtherModel("/m/tiny.gguf", "tiny", 1, context_train=2048)
    assert ladder(ServerSettings(ctx_size=8192), (), tiny).rungs_below()[-1].after.settings.ctx_size == 2048


def test_a_rung_says_what_it_changes() -> None:
    first = ladder(ServerSettings(mtp=True)).next
    assert first is not None
    assert [(s.key, a, b) for s, a, b in first.changes()] == [("mtp", True, False)]


def test_the_context_stops_at_four_thousand_unless_no_more_was_asked_for() -> None:
    assert next_context(4096, 65536) is None
    assert next_context(4096, 4096) == 2048
    assert next_context(2048, 4096) is None
    assert next_context(100_000, 100_000) == CONTEXT_STEPS[0]
    assert next_context(256, 256) is None


ANY = st.builds(
    ServerSettings,
    mtp=st.booleans(),
    n_max=st.integers(1, 8),
    ctx_size=st.integers(256, 200_000),
    ubatch_size=st.sampled_from([256, 512, 2048]),
    draft_cache_type_k=st.sampled_from(["f16", "q8_0"]),
)


@given(ANY, st.lists(st.sampled_from([Q6, Q4, Q3]), unique=True), st.booleans(), st.booleans())
def test_every_step_changes_something_ends_and_can_be_undone(
    settings: ServerSettings, smaller: list[OtherModel], named: bool, gentle: bool
) -> None:
    ordered = tuple(sorted(smaller, key=lambda m: -m.size_bytes))
    top = ladder(settings, ordered, SMALL if named else None, gentle=gentle)
    below = top.rungs_below()
    assert len(below) < 20
    for rung in below:
        assert rung.before != rung.after
    at = top
    for rung in below:
        at = at.down()
        assert at.current == rung.after
    assert at.next is None
    assert at.down() == at
    for _ in below:
        at = at.up()
    assert at == top
    assert at.up() == top
