import pytest

from qtune.core.engine_facts import DeviceFacts, EngineRef
from qtune.core.errors import KnownError
from qtune.engine.probe import parse_devices, parse_help, parse_version

REF = EngineRef("binary", ("/x/y",), "/x/y", "chosen")

HELP = """\
----- common params -----

-h,    --help, --usage                  print usage and exit
-c,    --ctx-size N                     size of the prompt context (default: 0, 0 = loaded from model)
                                        (env: LLAMA_ARG_CTX_SIZE)
-m,    --model FNAME                    model path; see --not-an-option, -x
--mmap, --no-mmap                       whether to memory-map the model
-lv,   --verbosity, --log-verbosity N   verbosity
-fa,   --flash-attn [on|off|auto]       flash attention


----- speculative params -----

--spec-type none,draft-simple,draft-mtp,ngram-mod
                                        comma-separated list
                                        (default: none)
--draft, --draft-n, --draft-max N       the argument has been removed. use --spec-draft-n-max or
                                        --spec-ngram-mod-n-max
--draft-min, --draft-n-min N
                                        the argument has
                                        been removed. use --spec-draft-n-min
"""


def test_help() -> None:
    options, removed, spec_types = parse_help(HELP)
    assert options == {
        "-h", "--help", "--usage", "-c", "--ctx-size", "-m", "--model", "--mmap", "--no-mmap", "-lv",
        "--verbosity", "--log-verbosity", "-fa", "--flash-attn", "--spec-type",
    }  # fmt: skip
    assert removed == {"--draft", "--draft-n", "--draft-max", "--draft-min", "--draft-n-min"}
    assert spec_types == ("draft-simple", "draft-mtp", "ngram-mod")


def test_the_branch_build_and_bracketed_hints() -> None:
    assert parse_help("--spec-type [none|mtp|ngram-mod]      kinds\n")[2] == ("mtp", "ngram-mod")
    assert parse_help("--spec-type TYPE    kinds\n")[2] == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "load_backend: loaded CUDA\nversion: 0.6.0-dev (build 11434, commit abcdef123)\nbuilt with GNU",
            ("0.6.0-dev (build 11434, commit abcdef123)", 11434, "abcdef123"),
        ),
        ("version: 9190 (b64739ea3)\r\nbuilt with", ("9190 (b64739ea3)", 9190, "b64739ea3")),
        ("version: 0.6.0 (build 0, commit unknown)", ("0.6.0 (build 0, commit unknown)", None, None)),
        ("version: 0 (unknown)", ("0 (unknown)", None, None)),
    ],
)
def test_versions(text: str, expected: tuple[str, int | None, str | None]) -> None:
    assert parse_version(text, REF) == expected


@pytest.mark.parametrize("text", ["", "version: 3.1", "frobnicate (c) nobody", "ffmpeg version 6 (x)"])
def test_other_programs_have_no_such_line(text: str) -> None:
    with pytest.raises(KnownError, match="/x/y does not answer like llama-server"):
        parse_version(text, REF)


def test_devices() -> None:
    text = (
        "noise: before (1 MiB, 1 MiB free)\nAvailable devices:\n"
        "  CUDA0: NVIDIA GeForce RTX 4090 (24077 MiB, 23650 MiB free)\n"
        "  Vulkan1: Some (TM) card (odd) (8 MiB, 4 MiB free)\n"
        "  CPU: a processor (24105 MiB, 24105 MiB free)\n"
        "  SYCL0: unknown\n"
        "done\n  CUDA9: after\n"
    )
    mib = 1024**2
    assert parse_devices(text) == (
        DeviceFacts("CUDA0", "NVIDIA GeForce RTX 4090", 24077 * mib, 23650 * mib),
        DeviceFacts("Vulkan1", "Some (TM) card (odd)", 8 * mib, 4 * mib),
        DeviceFacts("SYCL0", "unknown", None, None),
    )
    assert parse_devices("Available devices:\n  (none)\n") == ()
