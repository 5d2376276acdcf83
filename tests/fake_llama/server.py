"""A program that behaves as llama-server b11434 does, as far as qtune can tell, and misbehaves on request.

Run as `python tests/fake_llama/server.py [--fake-json '{...}'] <llama-server arguments>`.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

# Started as a script, from anywhere: the repository is the place to import from, not this folder.
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.fake_llama.command_line import BadArgumentError, Settings, parse
from tests.fake_llama.printed import act_foreign, print_and_leave
from tests.fake_llama.switches import Switches, from_json, without_faults


def main(arguments: list[str]) -> int:
    """The whole program; returns the exit code."""
    switches = Switches()
    if arguments[:1] == ["--fake-json"]:
        switches = from_json(arguments[1])
        arguments = arguments[2:]
    if switches.version_garbage:
        return act_foreign(arguments, switches.version_garbage)
    try:
        settings = parse(arguments, switches)
    except BadArgumentError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    for warning in settings.warnings:
        sys.stderr.write(f"{warning}\n")
    if print_and_leave(settings, switches):
        return 0
    launches = _record_launch(switches, arguments)
    sys.stdout.flush()
    sys.stderr.flush()
    from tests.fake_llama.life import run  # noqa: PLC0415 - asyncio is not needed for --version and --help

    return run(settings, switches if _faults_on(settings, switches, launches) else without_faults(switches))


def _record_launch(switches: Switches, arguments: list[str]) -> int:
    """Note this start in the launch log; how many there were, with this one."""
    if switches.launch_log is None:
        return 1
    path = Path(switches.launch_log)
    entry = {"argv": arguments, "env": dict(os.environ), "pid": os.getpid()}
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(entry) + "\n")
    return len(path.read_text(encoding="utf-8").splitlines())


def _faults_on(settings: Settings, switches: Switches, launches: int) -> bool:
    if switches.when_mtp is not None and switches.when_mtp != settings.mtp:
        return False
    if switches.when_ctx_above is not None and settings.number("--ctx-size") <= switches.when_ctx_above:
        return False
    if switches.when_n_max_above is not None:
        n_max = settings.number("--spec-draft-n-max") if settings.mtp else 0
        if n_max <= switches.when_n_max_above:
            return False
    return switches.when_launch_at_most is None or launches <= switches.when_launch_at_most


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
