"""The shipped presets and workloads, and prompts the user brings."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from qtune.core.errors import KnownError
from qtune.core.presets import PRESET_IDS, Preset, preset_from_table
from qtune.core.records import ChatMessage
from qtune.core.workload import DOMAINS, FULL_SET, SAMPLE_DOMAIN, Workload, workload_from_table

OWN_PROMPT_MAX_TOKENS = 400
_ORDER = (*DOMAINS, SAMPLE_DOMAIN)
_SAMPLE_ORDER = ("sample", "sample_two", "sample_three")
PROMPT_FILE_MOST_BYTES = 4 * 1024**2


def load_presets(resources: Path) -> tuple[Preset, ...]:
    """The shipped presets, in the order of the cards."""
    tables = (resources / "presets" / f"{name}.toml" for name in PRESET_IDS)
    return tuple(preset_from_table(tomllib.loads(path.read_text(encoding="utf-8"))) for path in tables)


def load_workloads(resources: Path) -> tuple[Workload, ...]:
    """The shipped workloads by domain, the standard one first and those of the sample model last."""
    found = [
        workload_from_table(tomllib.loads(path.read_text(encoding="utf-8")))
        for path in sorted((resources / "prompts").glob("*.toml"))
    ]
    return tuple(sorted(found, key=_place))


def _place(workload: Workload) -> tuple[int, int, str]:
    number = _SAMPLE_ORDER.index(workload.id) if workload.id in _SAMPLE_ORDER else 0
    return _ORDER.index(workload.domain), number, workload.id


def default_set(
    workloads: Sequence[Workload], *, sample: bool, language: str, form: Literal["quick", "full"]
) -> tuple[Workload, ...]:
    """The workloads a comparison uses unless told otherwise; the first one also warms up.

    Quick takes one, Full three of different structure. The sample model gets its own short prompts, because
    it knows no other words. Where a domain lacks the language asked for, English stands in.
    """
    most = 1 if form == "quick" else len(FULL_SET)
    if sample:
        return tuple(w for w in workloads if w.domain == SAMPLE_DOMAIN)[:most]
    return of_domains(workloads, FULL_SET[:most], language)


def of_domains(workloads: Sequence[Workload], domains: Sequence[str], language: str) -> tuple[Workload, ...]:
    """One workload for each domain (``DOMAINS`` for all), in the language asked for, else in English."""
    found = []
    for domain in domains:
        by_language = {w.language: w for w in reversed(workloads) if w.domain == domain}
        if (workload := by_language.get(language) or by_language.get("en")) is not None:
            found.append(workload)
    return tuple(found)


def load_filler(resources: Path, language: str) -> tuple[str, ...]:
    """Paragraphs of prose to fill a context with; any language but Chinese gets English."""
    path = resources / "filler" / ("zh.txt" if language == "zh" else "en.txt")
    return tuple(p for p in path.read_text(encoding="utf-8").split("\n\n") if p.strip())


def find_preset(presets: Sequence[Preset], name: str) -> Preset:
    """Preset by id.

    Raises:
        KnownError: ``preset_unknown``.
    """
    for preset in presets:
        if preset.id == name:
            return preset
    raise KnownError("preset_unknown", preset=name, known=", ".join(p.id for p in presets))


def find_workload(workloads: Sequence[Workload], name: str) -> Workload:
    """Workload by id, or the user's own text as ``@FILE``.

    Raises:
        KnownError: ``prompt_unknown`` or ``prompt_file_unreadable``.
    """
    if name.startswith("@"):
        return own_prompt(Path(name[1:]).expanduser())
    for workload in workloads:
        if workload.id == name:
            return workload
    raise KnownError("prompt_unknown", prompt=name, known=", ".join(w.id for w in workloads))


def own_prompt(path: Path) -> Workload:
    """A text file as a workload.

    Raises:
        KnownError: ``prompt_file_unreadable`` (missing, no text, larger than 4 MiB, empty).
    """
    try:
        if path.stat().st_size > PROMPT_FILE_MOST_BYTES:
            raise KnownError("prompt_file_unreadable", path=str(path), reason="it is larger than 4 MiB")
        text = path.read_text(encoding="utf-8-sig").strip()
    except UnicodeDecodeError:
        raise KnownError("prompt_file_unreadable", path=str(path), reason="it is not UTF-8 text") from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise KnownError("prompt_file_unreadable", path=str(path), reason=reason) from error
    if not text:
        raise KnownError("prompt_file_unreadable", path=str(path), reason="it is empty")
    # The text is part of the name: two files of one name are two prompts, and an edited file is another one.
    mark = hashlib.sha256(text.encode()).hexdigest()[:6]
    name = f"file:{path.name.replace(',', '_')}-{mark}"
    return Workload(name, path.name, "", (ChatMessage("user", text),), OWN_PROMPT_MAX_TOKENS)
