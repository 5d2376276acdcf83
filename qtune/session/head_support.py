"""Whether an engine can run the MTP head that belongs to a model."""

from __future__ import annotations

from qtune.core.engine_facts import EngineFacts
from qtune.core.model_facts import ModelFacts
from qtune.core.mtp_archs import MtpSupport, mtp_support
from qtune.session.launching import head_arch, head_of


def head_runs(model: ModelFacts, engine: EngineFacts | None) -> MtpSupport | None:
    """Whether this build runs the head; ``unknown`` without an engine, None where there is no head."""
    if model.mtp == "none" and head_of(model) is None:
        return None
    if engine is None:
        return "unknown"
    return mtp_support(head_arch(model), engine.build) if engine.mtp else "no"
