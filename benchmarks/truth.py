"""Whether the client's clock tells the truth: prints one table and fails if a bar is missed.

Run: python benchmarks/truth.py [--seconds 60] [--no-bundled]

A desk measures as the button does: against a server of the tests that emits tokens at a set pace, and against
the bundled engine with the sample model. Each request carries two accounts of itself: the server's own
timings, and the stamps this side took of what arrived. They must agree.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.supervised_app import engine_of
from benchmarks.table import Row, show
from qtune.core import figures
from qtune.core.events import Event, RequestFinished
from qtune.core.records import RequestRecord
from qtune.core.settings import ServerSettings
from qtune.session.assembly import open_desk
from qtune.session.desk import Desk
from qtune.session.jobs import JobRequest
from tests.fake_llama.make import make_fake_binary, make_fake_model

OFF_BY_PCT, TTFT_LATE_MS = 1.0, 15.0
LEAST_TOK_S = 200
RATES = (200, 500, 1000, 2000)
REQUEST_S = 2.0
"""Length of the answers of the server that is paced."""
TOKENS_BUNDLED = 400


def measured(desk: Desk, engine: str, model: str, runs: int, tokens: int) -> list[RequestRecord]:
    """Counted requests of one start."""
    done: list[RequestRecord] = []

    def note(event: Event) -> None:
        if isinstance(event, RequestFinished) and event.record.phase == "counted":
            done.append(event.record)

    desk.subscribe(note)
    request = JobRequest(
        "measure", engine_of(desk, engine), model, ("off",), ServerSettings(ctx_size=4096),
        prompts=("sample",), runs=runs, max_tokens=tokens,
    )  # fmt: skip
    result = desk.run_job(request).result(600)
    if result.result.failure is not None:
        raise SystemExit(f"{engine}: {result.result.failure.sentence()}")
    return done


def rows_of(name: str, records: list[RequestRecord]) -> Iterator[Row]:
    both = [(figures.client_decode_tok_s(r.times), figures.server_decode_tok_s(r.times)) for r in records]
    off = [abs(client / server - 1) * 100 for client, server in both if client and server]
    rates = [server for _client, server in both if server]
    late = [
        ttft - r.times.timings.prompt_ms
        for r in records
        if r.times.timings is not None and r.times.timings.prompt_ms and (ttft := figures.ttft_ms(r.times))
    ]
    if len(off) != len(records) or len(late) != len(records):
        raise SystemExit(f"{name}: {len(records)} requests, of which {len(off)} have both accounts")
    rate = median(rates)
    # At lower rates the bar is not promised, since one late packet is a larger share of fewer.
    bar = OFF_BY_PCT if rate >= LEAST_TOK_S * 0.98 else None
    note = f"{rate:,.0f} tok/s, {len(off)} requests, worst {max(off):.2f} %"
    yield Row(f"{name}: decode, client against server", median(off), bar, unit="%", decimals=2, note=note)
    note = f"worst {max(late):.1f} ms"
    yield Row(f"{name}: TTFT minus the prompt's time", median(late), TTFT_LATE_MS, unit="ms", note=note)


def rows(seconds: float, *, bundled: bool) -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        share = seconds / (len(RATES) + (1 if bundled else 0))
        runs = max(2, round(share / REQUEST_S))
        model = str(make_fake_model(folder / "model"))
        for rate in RATES:
            tokens = round(rate * REQUEST_S)
            fake = make_fake_binary(folder / str(rate), itl_ms=1000 / rate, tokens=tokens)
            desk = open_desk(folder / f"desk {rate}")
            try:
                yield from rows_of(f"paced at {rate}", measured(desk, str(fake), model, runs, tokens))
            finally:
                desk.close()
        if bundled:
            desk = open_desk(folder / "desk")
            try:
                sample = desk.make_sample().result(300).path
                found = measured(desk, "bundled", sample, runs, TOKENS_BUNDLED)
                yield from rows_of("bundled engine, sample", found)
            finally:
                desk.close()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60, help="about how long it streams (default 60)")
    parser.add_argument("--no-bundled", action="store_true", help="leave the bundled engine out")
    given = parser.parse_args()
    return show(rows(given.seconds, bundled=not given.no_bundled))


if __name__ == "__main__":
    sys.exit(main())
