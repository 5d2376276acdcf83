"""What may be shared of a run: no folder, no user and no host, wherever a name may hold one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from qtune.core.records import RunRecord
from qtune.report.export_run import ExportRun

_PLACE = re.compile(r"[A-Za-z]:[\\/]|[\\/~]|file:|\.{1,2}[\\/]")
_OWN_PROMPT = re.compile(r"file:[^/\\]*-([0-9a-f]{6})")
"""A prompt of the user's own, as ``session.catalog`` names it: its file, and a mark of its text."""
_ADDRESS = re.compile(r"[\w.+-]+@[\w.-]+")
"""A user at a host, or somebody's mail."""


def nameless(text: str) -> str:
    """``text`` without folders: of anything that looks like a place on a disk only the last part is left.

    Of prompts of the user's own only the mark of their content, since their files have names, too.

    Names of models come from files that others wrote, and some hold a path of theirs.
    """
    if own := _OWN_PROMPT.fullmatch(text):
        return f"own prompt {own[1]}"
    text = _ADDRESS.sub("…", text)
    if _PLACE.match(text) or text.count("\\") or text.count("/") > 1:
        return re.split(r"[\\/]", text.rstrip("\\/"))[-1]
    return text


def shareable(runs: Sequence[ExportRun]) -> list[ExportRun]:
    """The runs with every text of theirs that a report shows made nameless; arms and prompts keep theirs."""
    return [replace(source, run=_run(source.run)) for source in runs]


def _run(run: RunRecord) -> RunRecord:
    model, engine, machine = run.model, run.engine, run.machine
    devices = tuple(
        replace(d, name=nameless(d.name), description=nameless(d.description)) for d in engine.devices
    )
    cards = tuple(
        replace(g, name=nameless(g.name), driver=None if g.driver is None else nameless(g.driver), uuid="")
        for g in run.gpus
    )
    named = nameless(model.name or re.split(r"[\\/]", model.path)[-1])
    return replace(
        run,
        model=replace(
            model, name=named, arch=nameless(model.arch), quant=nameless(model.quant), path="", files=()
        ),
        engine=replace(engine, version=nameless(engine.version), devices=devices),
        machine=replace(machine, os=nameless(machine.os), cpu=nameless(machine.cpu)),
        gpus=cards,
        argv=(),
        environment=(),
    )
