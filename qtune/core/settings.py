"""Every llama-server setting, declared once: the form, validation, argv, diffs and exports derive from it.

To add a setting, add one field to ``ServerSettings``. Its declaration holds the range, unit, spellings of the
flag in order of preference, and whether it can change answers. Facts about the flags: llama-server b11434 and
its forerunners back to b9093.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal

from qtune.core.errors import KnownError
from qtune.core.messages import QT_TRANSLATE_NOOP, Message

Kind = Literal["int", "float", "choice", "switch"]
SettingValue = int | float | str | bool


@dataclass(frozen=True, slots=True)
class Spelling:
    """One way to say a setting on the command line.

    Attributes:
        flag: Long option that the binary's help must list, otherwise the next spelling is tried.
        words: Value -> word after the flag; ``None`` as word is the bare flag. A value missing from the map
            cannot be said with this spelling. Without a map the value itself is the word. Where a value has
            several words, the first is written and all are read.
        needs_spec_type: The binary's ``--spec-type`` list must hold this name.
    """

    flag: str
    words: tuple[tuple[SettingValue, str | None], ...] | None = None
    needs_spec_type: str | None = None

    def can_say(self, value: SettingValue) -> bool:
        """Whether this spelling has a word for ``value``."""
        return self.words is None or any(_same(value, known) for known, _ in self.words)

    def tokens(self, value: SettingValue) -> list[str]:
        """Command line tokens for ``value``."""
        if self.words is None:
            return [self.flag, str(value)]
        word = next(word for known, word in self.words if _same(value, known))
        return [self.flag] if word is None else [self.flag, word]


def _same(a: SettingValue, b: SettingValue) -> bool:
    return type(a) is type(b) and a == b


@dataclass(frozen=True, slots=True)
class Setting:
    """Declaration of one setting.

    Attributes:
        key: Field name in ``ServerSettings``.
        kind: How it is entered and checked.
        default: Value of an untouched form.
        spellings: Flags in order of preference.
        aliases: Further flags that mean the setting in a command written elsewhere: short ones, and those
            of older builds. They are read, never written.
        env: llama-server's environment variable for it, empty for none.
        low: Smallest number allowed (int, float).
        high: Largest number allowed (int, float).
        choices: Words allowed (choice).
        unit: Unit shown beside the field, empty for none.
        omit: Values for which nothing is passed, so the engine's own default holds.
        needs_mtp: Passed only while MTP is on.
        per_slot: The flag wants the sum over all parallel slots; the setting is what one slot gets.
        changes_answers: Whether the text of answers may change with it, beyond rounding.
        label: Name on the form (English, translated in the UI).
        about: One sentence of help (English, translated in the UI).
    """

    key: str
    kind: Kind
    default: SettingValue
    spellings: tuple[Spelling, ...]
    label: str
    about: str
    aliases: tuple[Spelling, ...] = ()
    env: str = ""
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    unit: str = ""
    omit: tuple[SettingValue, ...] = ()
    needs_mtp: bool = False
    per_slot: bool = False
    changes_answers: bool = False

    def allowed(self) -> str:
        """Allowed values in words, for an error sentence."""
        if self.kind == "switch":
            return "true, false"
        if self.kind == "choice":
            return ", ".join(self.choices)
        return f"{self.low:.15g} to {self.high:.15g}"

    def read(self, text: str) -> SettingValue:
        """Value written as text, e.g. on a command line.

        Raises:
            KnownError: ``setting_invalid``.
        """
        try:
            match self.kind:
                case "int":
                    return self.check(int(text))
                case "float":
                    return self.check(float(text))
                case "switch":
                    return self.check({"true": True, "false": False}[text.lower()])
                case "choice":
                    return self.check(text)
        except (ValueError, KeyError):
            raise KnownError(
                "setting_invalid", setting=self.label, value=text, allowed=self.allowed()
            ) from None

    def check(self, value: object) -> SettingValue:
        """Return ``value`` in the setting's type.

        Raises:
            KnownError: ``setting_invalid`` when it is of another type or out of range.
        """
        good = {
            "int": isinstance(value, int) and not isinstance(value, bool),
            "float": isinstance(value, int | float) and not isinstance(value, bool),
            "choice": isinstance(value, str) and value in self.choices,
            "switch": isinstance(value, bool),
        }[self.kind]
        if good and self.low is not None and self.high is not None:
            good = isinstance(value, int | float) and self.low <= value <= self.high
        if not good:
            raise KnownError("setting_invalid", setting=self.label, value=str(value), allowed=self.allowed())
        if self.kind == "float":
            return float(value)  # type: ignore[arg-type]
        return value  # type: ignore[return-value]


def _setting(
    kind: Kind,
    default: SettingValue,
    label: str,
    about: str,
    *flags: str | Spelling,
    aliases: tuple[str | Spelling, ...] = (),
    **more: Any,  # noqa: ANN401
) -> Any:  # noqa: ANN401 - a dataclass field is typed by its annotation
    declared = {
        "kind": kind,
        "default": default,
        "label": label,
        "about": about,
        "spellings": _spellings(flags),
        "aliases": _spellings(aliases),
        **more,
    }
    return field(default=default, metadata={"declared": declared})


def _spellings(flags: tuple[str | Spelling, ...]) -> tuple[Spelling, ...]:
    return tuple(f if isinstance(f, Spelling) else Spelling(f) for f in flags)


_N = QT_TRANSLATE_NOOP
_LAYER_WORDS = (("all", "all"), ("auto", "auto"), ("auto", "-1"), ("none", "0"))
_SWITCH_WORDS = (
    *(("on", word) for word in (None, "on", "enabled", "true", "1")),
    *(("off", word) for word in ("off", "disabled", "false", "0")),
    *(("auto", word) for word in ("auto", "-1")),
)
_KV_TYPES = ("f16", "bf16", "q8_0", "q5_1", "q5_0", "q4_1", "q4_0", "iq4_nl", "f32")


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """What llama-server is asked to run with. A value: equal settings are equal launches."""

    ctx_size: int = _setting(
        "int",
        8192,
        _N("settings", "Context"),
        _N("settings", "Tokens of prompt and answer that one conversation can hold."),
        "--ctx-size",
        aliases=("-c",),
        env="LLAMA_ARG_CTX_SIZE",
        low=256,
        high=1_048_576,
        unit="tokens",
        per_slot=True,
    )
    parallel: int = _setting(
        "int",
        1,
        _N("settings", "Parallel slots"),
        _N("settings", "Requests served at once; on hybrid models each slot costs its own state."),
        "--parallel",
        aliases=("-np",),
        env="LLAMA_ARG_N_PARALLEL",
        low=1,
        high=64,
    )
    gpu_layers: str = _setting(
        "choice",
        "all",
        _N("settings", "Layers on the card"),
        _N("settings", "How much of the model is placed on the graphics card."),
        Spelling("--gpu-layers", (("all", "all"), ("auto", "auto"), ("none", "0"))),
        Spelling("--n-gpu-layers", (("all", "999"), ("none", "0"))),
        aliases=(
            Spelling("-ngl", _LAYER_WORDS),
            Spelling("--gpu-layers", _LAYER_WORDS),
            Spelling("--n-gpu-layers", _LAYER_WORDS),
        ),
        env="LLAMA_ARG_N_GPU_LAYERS",
        choices=("all", "auto", "none"),
    )
    flash_attn: str = _setting(
        "choice",
        "auto",
        _N("settings", "Flash attention"),
        _N("settings", "Fused attention; needed for a quantised V cache."),
        "--flash-attn",
        aliases=(Spelling("-fa", _SWITCH_WORDS), Spelling("--flash-attn", _SWITCH_WORDS)),
        env="LLAMA_ARG_FLASH_ATTN",
        choices=("auto", "on", "off"),
    )
    cache_type_k: str = _setting(
        "choice",
        "f16",
        _N("settings", "K cache type"),
        _N("settings", "Number format of the keys; smaller saves memory."),
        "--cache-type-k",
        aliases=("-ctk",),
        env="LLAMA_ARG_CACHE_TYPE_K",
        choices=_KV_TYPES,
        changes_answers=True,
    )
    cache_type_v: str = _setting(
        "choice",
        "f16",
        _N("settings", "V cache type"),
        _N("settings", "Number format of the values; smaller saves memory."),
        "--cache-type-v",
        aliases=("-ctv",),
        env="LLAMA_ARG_CACHE_TYPE_V",
        choices=_KV_TYPES,
        changes_answers=True,
    )
    batch_size: int = _setting(
        "int",
        2048,
        _N("settings", "Logical batch"),
        _N("settings", "Prompt tokens handed over at once."),
        "--batch-size",
        aliases=("-b",),
        env="LLAMA_ARG_BATCH",
        low=1,
        high=65_536,
        unit="tokens",
    )
    ubatch_size: int = _setting(
        "int",
        512,
        _N("settings", "Physical batch"),
        _N("settings", "Prompt tokens computed at once; larger reads prompts faster and needs more memory."),
        "--ubatch-size",
        aliases=("-ub",),
        env="LLAMA_ARG_UBATCH",
        low=1,
        high=65_536,
        unit="tokens",
    )
    threads: int = _setting(
        "int",
        0,
        _N("settings", "CPU threads"),
        _N("settings", "0 leaves the choice to the engine."),
        "--threads",
        aliases=("-t", Spelling("-t", ((0, "-1"),)), Spelling("--threads", ((0, "-1"),))),
        env="LLAMA_ARG_THREADS",
        low=0,
        high=1024,
        omit=(0,),
    )
    n_cpu_moe: int = _setting(
        "int",
        0,
        _N("settings", "Expert layers on the CPU"),
        _N("settings", "Keeps the experts of the first layers in main memory, to fit a larger model."),
        "--n-cpu-moe",
        aliases=(
            "-ncmoe",
            # All experts: more layers than any model has.
            Spelling("--cpu-moe", ((1024, None),)),
            Spelling("-cmoe", ((1024, None),)),
        ),
        env="LLAMA_ARG_N_CPU_MOE",
        low=0,
        high=1024,
        omit=(0,),
    )
    load_mode: str = _setting(
        "choice",
        "auto",
        _N("settings", "Loading"),
        _N("settings", "How the model file is read."),
        Spelling("--load-mode", tuple((w, w) for w in ("none", "mmap", "mlock", "mmap+mlock", "dio"))),
        Spelling("--no-mmap", (("none", None),)),
        Spelling("--mmap", (("mmap", None),)),
        # mmap was the default of the builds that knew this flag.
        Spelling("--mlock", (("mmap+mlock", None), ("mlock", None))),
        Spelling("--direct-io", (("dio", None),)),
        aliases=("--load-mode", "-lm", Spelling("-dio", (("dio", None),))),
        env="LLAMA_ARG_LOAD_MODE",
        choices=("auto", "none", "mmap", "mlock", "mmap+mlock", "dio"),
        omit=("auto",),
    )
    cache_ram_mib: int = _setting(
        "int",
        0,
        _N("settings", "Prompt cache in RAM"),
        _N(
            "settings",
            "Main memory for prompts of earlier requests; 0 while measuring, or repeats look too fast.",
        ),
        "--cache-ram",
        aliases=("-cram",),
        env="LLAMA_ARG_CACHE_RAM",
        low=-1,
        high=1_048_576,
        unit="MiB",
    )
    mtp: bool = _setting(
        "switch",
        False,  # noqa: FBT003 - the default of the field
        _N("settings", "MTP"),
        _N("settings", "Draft several tokens with the model's own prediction head."),
        Spelling("--spec-type", ((True, "draft-mtp"),), needs_spec_type="draft-mtp"),
        Spelling("--spec-type", ((True, "mtp"),), needs_spec_type="mtp"),
        aliases=(Spelling("--spec-type", ((False, "none"),)),),
        env="LLAMA_ARG_SPEC_TYPE",
        omit=(False,),
    )
    n_max: int = _setting(
        "int",
        3,
        _N("settings", "Draft length n_max"),
        _N("settings", "Tokens drafted in each round."),
        "--spec-draft-n-max",
        "--draft-max",
        aliases=("--draft", "--draft-n"),
        env="LLAMA_ARG_SPEC_DRAFT_N_MAX",
        low=1,
        high=16,
        needs_mtp=True,
    )
    n_min: int = _setting(
        "int",
        0,
        _N("settings", "Shortest draft n_min"),
        _N("settings", "Shorter drafts are thrown away."),
        "--spec-draft-n-min",
        "--draft-min",
        aliases=("--draft-n-min",),
        env="LLAMA_ARG_SPEC_DRAFT_N_MIN",
        low=0,
        high=16,
        needs_mtp=True,
        omit=(0,),
    )
    p_min: float = _setting(
        "float",
        0.0,
        _N("settings", "Draft confidence p_min"),
        _N("settings", "Drafting ends where the head is less sure than this."),
        "--spec-draft-p-min",
        "--draft-p-min",
        env="LLAMA_ARG_SPEC_DRAFT_P_MIN",
        low=0.0,
        high=1.0,
        needs_mtp=True,
    )
    draft_cache_type_k: str = _setting(
        "choice",
        "f16",
        _N("settings", "Draft K cache type"),
        _N("settings", "Number format of the MTP head's own keys."),
        "--spec-draft-type-k",
        "--cache-type-k-draft",
        aliases=("-ctkd",),
        env="LLAMA_ARG_SPEC_DRAFT_CACHE_TYPE_K",
        choices=_KV_TYPES,
        needs_mtp=True,
    )
    draft_cache_type_v: str = _setting(
        "choice",
        "f16",
        _N("settings", "Draft V cache type"),
        _N("settings", "Number format of the MTP head's own values."),
        "--spec-draft-type-v",
        "--cache-type-v-draft",
        aliases=("-ctvd",),
        env="LLAMA_ARG_SPEC_DRAFT_CACHE_TYPE_V",
        choices=_KV_TYPES,
        needs_mtp=True,
    )

    def get(self, key: str) -> SettingValue:
        """Value of one setting by key."""
        value: SettingValue = getattr(self, SETTINGS[key].key)
        return value

    def with_values(self, values: Mapping[str, object]) -> ServerSettings:
        """Copy with some values changed, each checked against its declaration.

        Raises:
            KnownError: ``setting_unknown`` or ``setting_invalid``.
        """
        for key in values:
            if key not in SETTINGS:
                raise setting_unknown(key)
        return replace(self, **{key: SETTINGS[key].check(value) for key, value in values.items()})  # type: ignore[arg-type]

    def to_dict(self) -> dict[str, SettingValue]:
        """Plain values by key, for storing and exporting."""
        return {key: self.get(key) for key in SETTINGS}

    @classmethod
    def from_dict(cls, values: Mapping[str, object]) -> ServerSettings:
        """Settings from stored values; keys missing from an older record take their default."""
        return cls().with_values(values)

    def problems(self) -> list[Message]:
        """What forbids a launch although each value is allowed by itself (llama-server would abort)."""
        found = []
        if self.mtp and self.ubatch_size <= self.n_max:
            found.append(Message.of("ubatch_too_small", ubatch=self.ubatch_size, n_max=self.n_max))
        if self.mtp and self.n_min > self.n_max:
            found.append(Message.of("n_min_above_n_max", n_min=self.n_min, n_max=self.n_max))
        if self.flash_attn == "off" and self.cache_type_v not in {"f16", "bf16", "f32"}:
            found.append(Message.of("quantised_v_needs_flash"))
        return found


SETTINGS: dict[str, Setting] = {
    f.name: Setting(key=f.name, **f.metadata["declared"]) for f in fields(ServerSettings)
}
"""All declarations by key, in the order of the form."""


def setting_unknown(key: str) -> KnownError:
    """The error for a key that is none of ``SETTINGS``; it names them all."""
    return KnownError("setting_unknown", setting=key, known=", ".join(SETTINGS))


def diff(a: ServerSettings, b: ServerSettings) -> list[tuple[Setting, SettingValue, SettingValue]]:
    """Settings in which two launches differ, with both values."""
    return [(s, a.get(k), b.get(k)) for k, s in SETTINGS.items() if a.get(k) != b.get(k)]
