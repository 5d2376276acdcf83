"""A launch as a command line: what would be started, in the words of this engine, without a key."""

from __future__ import annotations

from dataclasses import replace

import pytest

from qtune.core.command_text import read_command
from qtune.core.engine_facts import DeviceFacts
from qtune.core.errors import KnownError
from qtune.core.settings import ServerSettings
from qtune.core.shell_quoting import Shell
from qtune.session.launch_text import launch_text
from qtune.session.requests import LaunchRequest
from tests.ui import fake_story as story
from tests.ui.fake_files import OPTIONS

CUDA = DeviceFacts("CUDA0", "NVIDIA GeForce RTX 4090", 24 * story.GIB, None)
ENGINE = replace(story.LLAMA, options=OPTIONS, devices=(CUDA,))
SPACED = replace(story.MODEL, path="/my models/it's/Qwen3.6-27B.gguf")
SETTINGS = ServerSettings(ctx_size=16_384, parallel=2, threads=6, cache_type_k="q8_0", mtp=True, n_max=5)
REQUEST = LaunchRequest(ENGINE.ref, SPACED.path, SETTINGS, "custom")
SHELLS: tuple[Shell, ...] = ("sh", "powershell", "cmd")


@pytest.mark.parametrize("shell", SHELLS)
def test_reading_the_command_back_gives_the_same_launch(shell: Shell) -> None:
    text = launch_text(REQUEST, ENGINE, SPACED, shell)
    read = read_command(text)
    assert ServerSettings().with_values(read.settings) == SETTINGS
    assert (read.model_path, read.engine_path, read.problems) == (SPACED.path, ENGINE.ref.path, ())
    assert "key" not in text


@pytest.mark.parametrize("shell", SHELLS)
def test_the_chosen_card_is_in_it(shell: Shell) -> None:
    uuid = "GPU-5f0c1234-aaaa-bbbb-cccc-1234567890ab"
    card = replace(story.GPU, uuid=uuid)
    text = launch_text(REQUEST, ENGINE, SPACED, shell, card=uuid, cards=(card,))
    assert f"CUDA_VISIBLE_DEVICES={uuid}" in read_command(text).ignored
    assert ServerSettings().with_values(read_command(text).settings) == SETTINGS


def test_what_cannot_be_launched_has_no_command() -> None:
    with pytest.raises(KnownError, match="MTP"):
        launch_text(REQUEST, replace(ENGINE, spec_types=()), SPACED, "sh")
