"""Sets the checked values of the bundled engine's options in the parameters of the xllamacpp package."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any, Final

Apply = Callable[[Any, Any, Any], None]
"""Sets a checked value: (the xllamacpp module, its CommonParams, the value)."""

_EXPERTS: Final = r"ffn_(up|down|gate|gate_up)_(ch|)exps"


def attribute(path: str) -> Apply:
    """Set `params.<path>` to the value as it is."""
    *parents, name = path.split(".")

    def apply(_library: Any, params: Any, value: Any) -> None:  # noqa: ANN401 - xllamacpp has no types
        for parent in parents:
            params = getattr(params, parent)
        setattr(params, name, value)

    return apply


def member(path: str, enum: str, prefix: str) -> Apply:
    """Set `params.<path>` to the member of an xllamacpp enumeration that the word names."""
    put = attribute(path)

    def apply(library: Any, params: Any, value: str) -> None:  # noqa: ANN401
        word = value.upper().replace("-", "_").replace("+", "_")
        put(library, params, getattr(getattr(library, enum), prefix + word))

    return apply


def nothing(_library: Any, _params: Any, _value: Any) -> None:  # noqa: ANN401
    """Accepted, but not adjustable in the bundled engine."""


def set_context(_library: Any, params: Any, value: int) -> None:  # noqa: ANN401
    """Set the context in tokens."""
    params.n_ctx = value
    if value == 0:
        # An explicit 0 asks for the full training context; fitting must not shrink it.
        params.fit_params_min_ctx = 2**32 - 1


def set_margins(_library: Any, params: Any, value: list[int]) -> None:  # noqa: ANN401
    """Set the memory to leave free per device, from MiB."""
    margins = [size << 20 for size in value]
    devices = list(params.fit_params_target)
    params.fit_params_target = (
        margins * len(devices) if len(margins) == 1 else margins + devices[len(margins) :]
    )


def set_timeout(_library: Any, params: Any, value: int) -> None:  # noqa: ANN401
    """Set both socket time-outs, in seconds."""
    params.timeout_read = params.timeout_write = value


def set_spec_types(library: Any, params: Any, value: list[str]) -> None:  # noqa: ANN401
    """Add kinds of speculative decoding."""
    kinds = library.common_speculative_type
    members = [getattr(kinds, "COMMON_SPECULATIVE_TYPE_" + name.upper().replace("-", "_")) for name in value]
    params.speculative.types = [*params.speculative.types, *members]
    # Since August 2026 the head's tensors are read only on request; llama-server asks by itself.
    params.load_mtp = params.load_mtp or "draft-mtp" in value


def set_draft_sampling(_library: Any, params: Any, value: str) -> None:  # noqa: ANN401
    """Choose greedy or probabilistic drafts."""
    params.speculative.draft.probabilistic = value == "probabilistic"


def set_experts(_library: Any, params: Any, layers: int | None) -> None:  # noqa: ANN401
    """Keep the experts of so many layers, or of all (None), in main memory."""
    patterns = [rf"\.{_EXPERTS}"] if layers is None else [rf"blk\.{n}\.{_EXPERTS}" for n in range(layers)]
    params.tensor_buft_overrides = ",".join(f"{pattern}=CPU" for pattern in patterns)


def set_keys(_library: Any, params: Any, value: list[str]) -> None:  # noqa: ANN401
    """Add API keys."""
    params.api_keys = [*params.api_keys, *value]


def set_template_arguments(_library: Any, params: Any, value: dict[str, str]) -> None:  # noqa: ANN401
    """Add arguments for the chat template."""
    params.default_template_kwargs = {**params.default_template_kwargs, **value}


def set_reasoning(_library: Any, params: Any, value: str) -> None:  # noqa: ANN401
    """Switch thinking on, off, or leave it to the template."""
    params.enable_reasoning = {"on": 1, "off": 0, "auto": -1}[value]
    if value != "auto":
        arguments = {**params.default_template_kwargs, "enable_thinking": json.dumps(value == "on")}
        params.default_template_kwargs = arguments


def set_colors(_library: Any, _params: Any, value: str) -> None:  # noqa: ANN401
    """Colours of the log; only off can be forced."""
    # The native logger decides once, at its first line; this is the only handle it leaves.
    if value == "off":
        os.environ["NO_COLOR"] = "1"
