"""The tables of the history as this version writes them; ``migrations`` says how a file gets there.

Raw values, and two tables of what is computed from them and can be made anew at any time: ``summaries``
and ``figures``.
"""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    false,
    text,
)

from qtune.store.any_text import AnyText

HEAD = "0006"
"""Revision of the tables below; equals the newest file in ``migrations/versions``."""

# Constraints need names from the first revision on, or a later one cannot drop them.
METADATA = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def _json(name: str, *, nullable: bool = True) -> Column[object]:
    return Column(name, JSON(none_as_null=True), nullable=nullable)


def _short(length: int) -> AnyText:
    """Text that we keep short ourselves. An import may bring any, and SQLite does not count."""
    return AnyText().with_variant(String(length), "sqlite")


def _computer() -> Column[str]:
    """The computer that wrote the row (``host.owner.computer``); empty in rows of older versions."""
    return Column("computer", _short(16), nullable=False, server_default=text("''"))


# Facts repeat with every run, so they are kept once, under the hash of their content. The columns beside
# ``facts`` repeat parts of it for queries.
MACHINES = Table(
    "machines",
    METADATA,
    Column("hash", _short(32), primary_key=True),
    Column("os", AnyText, nullable=False),
    Column("cpu", AnyText, nullable=False),
    _json("facts", nullable=False),
)

ENGINES = Table(
    "engines",
    METADATA,
    Column("hash", _short(32), primary_key=True),
    Column("kind", _short(16), nullable=False),
    Column("version", AnyText, nullable=False),
    _json("facts", nullable=False),
)

MODELS = Table(
    "models",
    METADATA,
    Column("hash", _short(32), primary_key=True),
    Column("name", AnyText, nullable=False),
    Column("arch", AnyText, nullable=False),
    Column("quant", AnyText, nullable=False),
    _json("facts", nullable=False),
)

EXPERIMENTS = Table(
    "experiments",
    METADATA,
    Column("id", _short(64), primary_key=True),
    Column("kind", AnyText, nullable=False),
    Column("form", _short(16), nullable=False),
    Column("seed", BigInteger, nullable=False),
    Column("created_utc", _short(40), nullable=False),
    Column("prompt_id", AnyText, nullable=False),
    _json("arms", nullable=False),
    Column("request", AnyText, nullable=False),
    _json("verdict"),
)

RUNS = Table(
    "runs",
    METADATA,
    # A short key of our own: it stands in every request, where an id would be the largest part of many rows.
    Column("key", Integer, primary_key=True),
    Column("id", _short(64), nullable=False, unique=True),
    Column("experiment_id", ForeignKey("experiments.id"), nullable=False, index=True),
    Column("arm", AnyText, nullable=False),
    Column("preset", AnyText, nullable=False),
    Column("start", Integer, nullable=False),
    Column("status", _short(16), nullable=False, index=True),
    Column("started_utc", _short(40), nullable=False, index=True),
    Column("ended_utc", _short(40)),
    Column("machine", ForeignKey("machines.hash"), nullable=False),
    Column("engine", ForeignKey("engines.hash"), nullable=False),
    Column("model", ForeignKey("models.hash"), nullable=False),
    _json("settings_requested", nullable=False),
    _json("settings_effective"),
    Column("mtp_active", Boolean),
    _json("argv", nullable=False),
    _json("environment", nullable=False),
    # Kept here and not with the engine: free memory is another figure at each probe.
    _json("devices", nullable=False),
    _json("gpus", nullable=False),
    _json("memory"),
    Column("load_ms", Double),
    _json("notes", nullable=False),
    _json("failure"),
    # The process that measures; a run left ``running`` by one that is gone was interrupted.
    Column("owner_pid", BigInteger, nullable=False),
    Column("owner_started", Double, nullable=False),
    _computer(),
    # The user's own marks; no measurement writes them.
    Column("starred", Boolean, nullable=False, server_default=false()),
    Column("outlier", Boolean, nullable=False, server_default=false()),
    Column("note", AnyText),
    Column("deleted_utc", _short(40)),
)

# Names are sorted without regard to case, as people look for them; see also ``listing``.
NAME = AnyText().with_variant(Text(collation="NOCASE"), "sqlite")

# One narrow row for each run, with everything the table of runs is filtered and sorted by: the rows of
# ``runs`` are ten times as wide. Each column that sorts has an index, which alone answers "all in order".
SUMMARIES = Table(
    "summaries",
    METADATA,
    Column("run_key", ForeignKey("runs.key"), primary_key=True),
    # Of the code that worked the figures out; see ``summaries.VERSION``.
    Column("version", Integer, nullable=False, index=True),
    Column("experiment_id", _short(64), nullable=False, index=True),
    Column("kind", AnyText, nullable=False, index=True),
    Column("status", _short(16), nullable=False, index=True),
    Column("starred", Boolean, nullable=False, index=True),
    Column("outlier", Boolean, nullable=False),
    Column("deleted_utc", _short(40), index=True),
    Column("started_utc", _short(40), nullable=False, index=True),
    Column("arm", NAME, nullable=False, index=True),
    Column("preset", NAME, nullable=False, index=True),
    Column("model", NAME, nullable=False, index=True),
    Column("quant", NAME, nullable=False, index=True),
    Column("engine", NAME, nullable=False),
    Column("engine_build", BigInteger, index=True),
    Column("device", NAME, nullable=False, index=True),
    Column("n_max", Integer, index=True),
    Column("ctx_size", BigInteger, index=True),
    Column("decode_tok_s", Double, index=True),
    Column("ttft_ms", Double, index=True),
    Column("prefill_tok_s", Double, index=True),
    Column("total_ms", Double, index=True),
    Column("acceptance_rate", Double, index=True),
    Column("acceptance_length", Double),
    Column("load_ms", Double, index=True),
    Column("vram_peak_bytes", BigInteger, index=True),
    Column("ram_peak_bytes", BigInteger, index=True),
    Column("requests", Integer, nullable=False),
    Column("requests_ok", Integer, nullable=False),
    Column("requests_counted", Integer, nullable=False, index=True),
    Column("decision", _short(16), index=True),
    Column("ratio", Double, index=True),
    # What words are searched in, in one case.
    Column("search", AnyText, nullable=False),
)

# All figures of a run, of the version of its summary, and what ``core.run_line`` calls its readings. A table
# apart: most of it is only asked for when many runs leave the history together, and the narrow row must stay
# narrow.
FIGURES = Table(
    "figures",
    METADATA,
    Column("run_key", ForeignKey("runs.key"), primary_key=True),
    # JSON, but only ever passed on.
    Column("figures", Text, nullable=False),
    Column("verified", Boolean),
    Column("devices", AnyText, nullable=False),
    Column("memory_kind", _short(16)),
    Column("memory_before_bytes", BigInteger),
    Column("memory_loaded_bytes", BigInteger),
    Column("memory_peak_bytes", BigInteger),
    Column("memory_total_bytes", BigInteger),
    Column("spill", _short(16)),
)

REQUESTS = Table(
    "requests",
    METADATA,
    Column("run_key", ForeignKey("runs.key"), primary_key=True),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("phase", _short(16), nullable=False),
    Column("prompt_id", AnyText, nullable=False),
    Column("nonce", AnyText, nullable=False),
    Column("max_tokens", Integer, nullable=False),
    _json("sampling", nullable=False),
    _json("marks"),
    _json("drafts"),
    Column("sent_ns", BigInteger, nullable=False),
    Column("headers_ns", BigInteger),
    Column("first_answer_ns", BigInteger),
    Column("ended_ns", BigInteger, nullable=False),
    Column("event_ns", LargeBinary),
    Column("finish_reason", AnyText),
    Column("cancelled", Boolean, nullable=False),
    _json("failure"),
    # An object whose every figure is missing is not the same as no object.
    Column("has_timings", Boolean, nullable=False),
    Column("cache_n", BigInteger),
    Column("prompt_n", BigInteger),
    Column("prompt_ms", Double),
    Column("predicted_n", BigInteger),
    Column("predicted_ms", Double),
    Column("draft_n", BigInteger),
    Column("draft_n_accepted", BigInteger),
    Column("has_usage", Boolean, nullable=False),
    Column("prompt_tokens", BigInteger),
    Column("completion_tokens", BigInteger),
    Column("cached_tokens", BigInteger),
    Column("content", AnyText, nullable=False),
    Column("reasoning", AnyText, nullable=False),
)

TELEMETRY = Table(
    "telemetry",
    METADATA,
    Column("run_key", ForeignKey("runs.key"), primary_key=True),
    Column("samples", Integer, nullable=False),
    Column("series", LargeBinary, nullable=False),
)

LADDER_STEPS = Table(
    "ladder_steps",
    METADATA,
    # Counts up with every row: steps of one second keep their order.
    Column("key", Integer, primary_key=True),
    Column("id", _short(64), nullable=False, unique=True),
    Column("at_utc", _short(40), nullable=False, index=True),
    Column("direction", _short(16), nullable=False),
    Column("kind", _short(16)),
    Column("taken_by", _short(16), nullable=False),
    _json("footing_before", nullable=False),
    _json("footing_after", nullable=False),
    Column("verified", Boolean, nullable=False),
    _json("reason"),
    Column("load_ms", Double),
    Column("decode_tok_s", Double),
    Column("vram_loaded_bytes", BigInteger),
    _computer(),
)

INCIDENTS = Table(
    "incidents",
    METADATA,
    Column("key", Integer, primary_key=True),
    Column("id", _short(64), nullable=False, unique=True),
    Column("at_utc", _short(40), nullable=False, index=True),
    Column("cause", _short(16), nullable=False),
    _json("message", nullable=False),
    Column("evidence", AnyText, nullable=False),
    _json("footing", nullable=False),
    Column("engine", AnyText, nullable=False),
    _json("action"),
    # No reference: what broke is kept even where the run it broke could not be.
    Column("run_id", _short(64), nullable=False),
    _computer(),
)

Index(None, RUNS.c.model)
