"""The choice of a card, and a driver that hangs, on a real desk; cards and llama-server are false ones."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from qtune.core.engine_facts import EngineRef
from qtune.core.errors import KnownError
from qtune.core.events import Event, Notice
from qtune.core.machine_facts import GpuFacts, GpuProcess, GpuSample
from qtune.core.messages import Message
from qtune.core.settings import ServerSettings
from qtune.session import memory_book
from qtune.session.assembly import open_desk
from qtune.session.desk import Desk
from qtune.session.jobs import JobRequest
from qtune.session.requests import LaunchRequest
from qtune.telemetry.cards import Cards
from tests.patience import until
from tests.unit.models.published import write_header, write_qwen36_27b

LIMIT_S = 120
GIB = 1024**3
PACE = {"load_s": 0.0, "ttft_ms": 5, "itl_ms": 1}
GREEN = GpuFacts(0, "GPU-1", "NVIDIA GeForce RTX 3090", 24 * GIB, "1", pci="0000:01:00.0")
RED = GpuFacts(
    1, "pci-0000:03:00.0", "AMD Radeon RX 7900 XTX", 24 * GIB, "1", vendor="amd", pci="0000:03:00.0"
)
VULKAN = (
    "Vulkan0: NVIDIA GeForce RTX 3090 (24576 MiB, 24000 MiB free)",
    "Vulkan1: AMD Radeon RX 7900 XTX (RADV NAVI31) (24560 MiB, 24000 MiB free)",
)


@dataclass
class Board:
    """Two cards whose driver can be made to hang when it is asked for facts."""

    facts: tuple[GpuFacts, ...] = (GREEN, RED)
    answers: threading.Event = field(default_factory=threading.Event)
    looks: int = 0
    note: Message | None = None

    def cards(self) -> tuple[GpuFacts, ...]:
        self.answers.wait()
        return self.facts

    def sample(self) -> tuple[GpuSample, ...]:
        return tuple(GpuSample(card.uuid, 2 * GIB, card.vram_total_bytes) for card in self.facts)

    def processes(self) -> tuple[GpuProcess, ...]:
        self.looks += 1
        return ()

    def close(self) -> None:
        pass


@pytest.fixture
def board(monkeypatch: pytest.MonkeyPatch) -> Iterator[Board]:
    made = Board()
    made.answers.set()
    monkeypatch.setattr(Cards, "of_this_computer", classmethod(lambda _: made))
    yield made
    made.answers.set()


@pytest.fixture
def desk(board: Board, tmp_path: Path) -> Iterator[Desk]:
    opened = open_desk(tmp_path / "home")
    yield opened
    board.answers.set()
    opened.close()


def head_in(path: Path, tensor: str) -> Path:
    """A head of Qwen3.6-27B in a file of its own."""
    keys = {"general.architecture": "qwen35", "qwen35.block_count": 65, "qwen35.nextn_predict_layers": 1,
            "qwen35.embedding_length": 5120}  # fmt: skip
    return write_header(path, keys, [("blk.64.nextn.eh_proj.weight", (10_240, 5120), tensor)])


def launched(folder: Path) -> list[str]:
    (line,) = (folder / "launches").read_text(encoding="utf-8").splitlines()
    argv: list[str] = json.loads(line)["argv"]
    return argv


# -- a driver that hangs --------------------------------------------------------------------------------


def test_a_driver_that_hangs_holds_up_no_measurement(
    board: Board, tmp_path: Path, fake_llama: Callable[..., EngineRef], fake_model: Path
) -> None:
    board.answers.clear()
    desk = open_desk(tmp_path / "home")
    try:
        request = JobRequest(
            "measure", fake_llama(**PACE), str(fake_model), base=ServerSettings(ctx_size=4096),
            presets=("off",), prompts=("sample",), runs=1,
        )  # fmt: skip
        found = desk.run_job(request).result(LIMIT_S)
        assert found.result.failure is None
        assert [arm.run.gpus for arm in found.result.arms] == [()]
    finally:
        board.answers.set()
        desk.close()


def test_what_fits_is_unknown_while_the_driver_hangs_and_not_what_main_memory_says(
    board: Board, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    board.answers.clear()
    folder = tmp_path / "models"
    folder.mkdir()
    write_qwen36_27b(folder / "m.gguf")
    desk = open_desk(tmp_path / "home")
    try:
        monkeypatch.setattr(memory_book, "FIRST_READING_S", 0.3)
        (entry,) = desk.survey_models((folder,)).result(LIMIT_S).entries
        assert entry.memory is not None
        assert (entry.memory.room, entry.memory.state) == (None, "unknown")

        monkeypatch.setattr(memory_book, "FIRST_READING_S", 10_000.0)
        cancel = threading.Event()
        waiting = desk.survey_models((folder,), cancel=cancel)
        cancel.set()
        assert waiting.result(LIMIT_S).cancelled
    finally:
        board.answers.set()
        desk.close()


def test_the_programs_on_the_cards_are_looked_at_again_when_an_engine_came(
    board: Board, desk: Desk, monkeypatch: pytest.MonkeyPatch, fake_llama: Callable[..., EngineRef],
    fake_model: Path,
) -> None:  # fmt: skip
    until(lambda: board.looks > 0)
    monkeypatch.setattr(memory_book, "PROCESSES_EVERY", 1_000_000)
    before = board.looks
    settings = ServerSettings(ctx_size=4096)
    desk.start_server(LaunchRequest(fake_llama(**PACE), str(fake_model), settings, "off")).result(LIMIT_S)
    until(lambda: board.looks > before)


# -- the choice -----------------------------------------------------------------------------------------


def test_a_card_that_is_not_there_is_named_with_those_that_are(desk: Desk, tmp_path: Path) -> None:
    with pytest.raises(KnownError) as refused:
        desk.survey_models((tmp_path,), card="GPU-typo").result(LIMIT_S)
    assert refused.value.code == "card_unknown"
    told = f"{refused.value.message.sentence()} {refused.value.message.hint()}"
    assert all(word in told for word in ("GPU-typo", GREEN.uuid, GREEN.name, RED.uuid))
    desk.survey_models((tmp_path,), card=RED.uuid).result(LIMIT_S)


def test_a_chosen_card_that_was_taken_out_is_told_of_and_all_are_used(
    desk: Desk, tmp_path: Path, fake_llama: Callable[..., EngineRef], fake_model: Path
) -> None:
    heard: list[Event] = []
    desk.subscribe(heard.append)
    desk.set_preferences({"card": "GPU-old"})
    engine = fake_llama(**PACE, launch_log=str(tmp_path / "launches"), devices=VULKAN)
    settings = ServerSettings(ctx_size=4096)
    desk.start_server(LaunchRequest(engine, str(fake_model), settings, "off")).result(LIMIT_S)

    told = [event.message for event in heard if isinstance(event, Notice)]
    assert [m.code for m in told].count("card_gone") == 1
    (line,) = (tmp_path / "launches").read_text(encoding="utf-8").splitlines()
    assert "CUDA_VISIBLE_DEVICES" not in json.loads(line)["env"], "it would leave the engine without a card"
    assert "--device" not in launched(tmp_path)


def test_the_chosen_card_reaches_an_engine_by_the_name_of_its_device(
    desk: Desk, tmp_path: Path, fake_llama: Callable[..., EngineRef], fake_model: Path
) -> None:
    desk.set_preferences({"card": RED.uuid})
    engine = fake_llama(**PACE, launch_log=str(tmp_path / "launches"), devices=VULKAN)
    settings = ServerSettings(ctx_size=4096)
    desk.start_server(LaunchRequest(engine, str(fake_model), settings, "off")).result(LIMIT_S)

    argv = launched(tmp_path)
    assert argv[argv.index("--device") + 1] == "Vulkan1"


def test_a_choice_the_engine_cannot_heed_is_told_of(
    desk: Desk, fake_llama: Callable[..., EngineRef], fake_model: Path
) -> None:
    heard: list[Event] = []
    desk.subscribe(heard.append)
    desk.set_preferences({"card": RED.uuid})
    engine = fake_llama(**PACE, devices=("CUDA0: NVIDIA GeForce RTX 3090 (24117 MiB, 24000 MiB free)",))
    settings = ServerSettings(ctx_size=4096)
    desk.start_server(LaunchRequest(engine, str(fake_model), settings, "off")).result(LIMIT_S)
    assert "card_not_heeded" in [event.message.code for event in heard if isinstance(event, Notice)]


# -- heads beside a model -------------------------------------------------------------------------------


def test_a_head_that_was_replaced_is_read_again(desk: Desk, tmp_path: Path) -> None:
    model = write_qwen36_27b(tmp_path / "m.gguf", head=None)
    head = head_in(tmp_path / "mtp-m.gguf", "Q8_0")

    def head_bytes() -> int:
        facts = desk.read_model(model).result(LIMIT_S)
        assert facts.sidecars == (str(head),)
        view = desk.memory_view(facts, ServerSettings(mtp=True), 0)
        assert view is not None
        return view.estimate.bytes_of("mtp_weights")

    first = head_bytes()
    head.unlink()
    head_in(head, "F16")
    assert head_bytes() > 1.5 * first
