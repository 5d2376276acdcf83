"""Requested is not effective: what the running server was found to use, and where that differs."""

from __future__ import annotations

import os
from pathlib import Path

from qtune.core.engine_facts import EngineFacts
from qtune.core.messages import Message
from qtune.core.ports import ServerSelf
from qtune.core.records import EffectiveSettings
from qtune.core.settings import SETTINGS, ServerSettings
from qtune.engine.log_facts import LogFacts

_CTX_STEP = 256
"""llama-server rounds the context of a slot up to a multiple of this."""


def read_back(
    settings: ServerSettings,
    facts: EngineFacts,
    model_path: Path | str,
    server: ServerSelf,
    log: LogFacts,
) -> EffectiveSettings:
    """Compare what was asked with what the server says of itself and what its log says.

    The server's own word counts more than the log. What neither tells stays None and is no mismatch, but then
    the settings are not verified.
    """
    speculative = server.speculative
    if speculative is None and log.speculation is not None:
        speculative = log.speculation == "initialized"
    effective = EffectiveSettings(
        ctx_size=server.ctx_size if server.ctx_size is not None else log.ctx_slot,
        parallel=server.slots if server.slots is not None else log.slots,
        speculative=speculative,
        n_max=log.n_max if speculative else None,
        layers_offloaded=log.layers_offloaded,
        layers_total=log.layers_total,
        cache_type_k=log.cache_type_k,
        cache_type_v=log.cache_type_v,
        model_path=server.model_path,
        alias=server.alias,
        build=server.build,
    )
    found = [
        *_context_and_slots(settings, effective),
        *_speculation(settings, effective, log),
        *_placement(settings, facts, log),
        *_types(settings, log),
        *_model(model_path, server),
    ]
    return EffectiveSettings(
        **{name: getattr(effective, name) for name in effective.__slots__ if name != "mismatches"},
        mismatches=tuple(found),
    )


def _differs(key: str, requested: str | float, effective: str | float) -> Message:
    return Message.of("not_effective", setting=SETTINGS[key].label, requested=requested, effective=effective)


def _context_and_slots(settings: ServerSettings, effective: EffectiveSettings) -> list[Message]:
    found = []
    asked = settings.ctx_size
    padded = -(-asked // _CTX_STEP) * _CTX_STEP
    if effective.ctx_size is not None and effective.ctx_size not in {asked, padded}:
        found.append(_differs("ctx_size", asked, effective.ctx_size))
    if effective.parallel is not None and effective.parallel != settings.parallel:
        found.append(_differs("parallel", settings.parallel, effective.parallel))
    return found


def _speculation(settings: ServerSettings, effective: EffectiveSettings, log: LogFacts) -> list[Message]:
    if log.synthetic:
        return [Message.of("synthetic_acceptance")]
    if effective.speculative is None:
        return []
    if settings.mtp and not effective.speculative:
        return [Message.of("mtp_not_speculating")]
    if effective.speculative and not settings.mtp:
        return [_differs("mtp", "off", "on")]
    if effective.n_max is not None and effective.n_max != settings.n_max:
        return [_differs("n_max", settings.n_max, effective.n_max)]
    return []


def _placement(settings: ServerSettings, facts: EngineFacts, log: LogFacts) -> list[Message]:
    done, total = log.layers_offloaded, log.layers_total
    if not facts.devices or done is None or total is None:
        return []
    wrong = (settings.gpu_layers == "all" and done < total) or (settings.gpu_layers == "none" and done > 0)
    return [_differs("gpu_layers", settings.gpu_layers, f"{done}/{total}")] if wrong else []


def _types(settings: ServerSettings, log: LogFacts) -> list[Message]:
    keys = ["cache_type_k", "cache_type_v"]
    if settings.mtp:
        keys += ["draft_cache_type_k", "draft_cache_type_v"]
    found = []
    for key in keys:
        asked, effective = str(settings.get(key)), getattr(log, key)
        if effective is not None and effective != asked:
            found.append(_differs(key, asked, effective))
    return found


def _model(model_path: Path | str, server: ServerSelf) -> list[Message]:
    if server.model_path is None:
        return []
    asked, effective = os.path.realpath(model_path), os.path.realpath(server.model_path)
    if os.path.normcase(asked) == os.path.normcase(effective):
        return []
    return [Message.of("model_not_effective", requested=asked, effective=effective)]
