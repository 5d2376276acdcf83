"""From facts to a launch: the head beside the model, the chosen card, and what is known to fail."""

from __future__ import annotations

from collections.abc import Sequence

from qtune.core.card_choice import choose_card
from qtune.core.engine_facts import EngineFacts
from qtune.core.errors import KnownError
from qtune.core.machine_facts import GpuFacts
from qtune.core.model_facts import ModelFacts
from qtune.core.mtp_archs import ASSISTANT_ARCH, ASSISTED_ARCH, mtp_support
from qtune.core.settings import ServerSettings
from qtune.engine.launch import LaunchSpec


def launch_spec(
    engine: EngineFacts,
    model: ModelFacts,
    settings: ServerSettings,
    preset: str,
    *,
    card: str = "",
    cards: Sequence[GpuFacts] = (),
) -> LaunchSpec:
    """What the supervisor needs; ``card`` is the UUID of the chosen one of ``cards``, empty for all."""
    choice = choose_card(engine.devices, cards, card)
    return LaunchSpec(
        facts=engine,
        settings=settings,
        model_path=model.path,
        preset=preset,
        model=model,
        head_path=head_of(model),
        extra_environment=tuple(choice.environment.items()),
        devices=choice.devices,
        card=card if choice.heeded else "",
    )


def head_of(model: ModelFacts) -> str | None:
    """The MTP head in a file beside a model that has none inside."""
    return model.sidecars[0] if model.mtp == "none" and model.sidecars else None


def head_arch(model: ModelFacts) -> str:
    """The architecture under which a build must know the MTP head a launch of this model would use."""
    assisted = model.arch == ASSISTED_ARCH and head_of(model) is not None
    return ASSISTANT_ARCH if assisted else model.arch


def check_launch(settings: ServerSettings, engine: EngineFacts, model: ModelFacts) -> None:
    """Refuse what is known to fail, with the reason.

    Raises:
        KnownError: A head without its model, settings that would abort the engine, MTP on a model, build or
            architecture without it.
    """
    if model.mtp == "sidecar":
        raise KnownError("model_is_sidecar", path=model.path)
    for problem in settings.problems():
        raise KnownError.from_message(problem)
    if not settings.mtp:
        return
    if not engine.mtp:
        raise KnownError("engine_without_mtp", version=engine.version)
    if model.mtp == "none" and head_of(model) is None:
        raise KnownError("model_without_mtp", path=model.path)
    if mtp_support(head_arch(model), engine.build) == "no":
        raise KnownError("arch_without_mtp", arch=head_arch(model), version=engine.version)
