"""Why MTP cannot be switched on with a model and an engine."""

from __future__ import annotations

from qtune.core.engine_facts import EngineFacts
from qtune.core.messages import Message
from qtune.core.model_facts import ModelFacts
from qtune.core.mtp_archs import mtp_support
from qtune.session.launching import head_arch
from qtune.session.survey import has_head


def mtp_obstacle(model: ModelFacts | None, facts: EngineFacts | None) -> Message | None:
    """Why MTP cannot be switched on, as far as is known."""
    if model is not None and not has_head(model):
        return Message.of("model_without_mtp", path=model.name)
    if facts is not None and not facts.mtp:
        return Message.of("engine_without_mtp", version=facts.version)
    if model is not None and facts is not None and mtp_support(head_arch(model), facts.build) == "no":
        return Message.of("arch_without_mtp", arch=head_arch(model), version=facts.version)
    return None
