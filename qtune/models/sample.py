"""The sample model: written into the cache folder on first use, so that qtune can measure without a model."""

from __future__ import annotations

import json
import logging
import os
import uuid
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import psutil
from gguf import GGMLQuantizationType, GGUFWriter, LlamaFileType

from qtune.core.errors import KnownError
from qtune.core.model_facts import SAMPLE_NAME
from qtune.models.sample_text import KNOWN_TEXT, PARTS, START_PARTS
from qtune.models.sample_tokenizer import SampleVocabulary, build_vocabulary
from qtune.models.sample_weights import SampleShape, SampleWeights

_log = logging.getLogger("qtune.models")

SAMPLE_VERSION: Final = 3
"""Goes up whenever the files' content changes; older files are then left alone and new ones made."""
SHAPE: Final = SampleShape()

_PROBE_BYTES: Final = 1 << 16
_PROBES: Final = 5

CHAT_TEMPLATE: Final = (
    "{%- for message in messages -%}"
    "{{- '<|im_start|>' + message['role'] + '\\n' + (message['content'] or '') + '<|im_end|>' + '\\n' -}}"
    "{%- endfor -%}"
    "{%- if add_generation_prompt -%}"
    "{{- '<|im_start|>assistant\\n' -}}"
    "{%- set last = messages[-1]['content'] or '' -%}"
    "{{- '<|sample_' + ((last | length) % " + str(START_PARTS) + ") | string + '|>' -}}"
    "{%- endif -%}"
)
"""ChatML. The length of the last message picks the paragraph at which the answer begins."""


@dataclass(frozen=True)
class SampleModel:
    """The two quantisations of the sample model's weights."""

    q8_0: Path
    q4_0: Path


@dataclass(frozen=True)
class _Recipe:
    """Which number format a file's matrices have; `wide` are those of the trunk's feed-forward."""

    name: str
    kind: GGMLQuantizationType
    wide: tuple[GGMLQuantizationType, ...]
    file_type: LlamaFileType


_RECIPES: Final = (
    _Recipe("Q8_0", GGMLQuantizationType.Q8_0, (GGMLQuantizationType.F32,), LlamaFileType.MOSTLY_Q8_0),
    _Recipe(
        "Q4_0",
        GGMLQuantizationType.Q4_0,
        (GGMLQuantizationType.F16, GGMLQuantizationType.F32),
        LlamaFileType.MOSTLY_Q4_0,
    ),
)


def sample_path(cache_dir: Path, quantisation: str) -> Path:
    """Where the sample of the given quantisation ("Q8_0" or "Q4_0") lies, written or not."""
    return cache_dir / f"qtune-sample-v{SAMPLE_VERSION}-{quantisation}.gguf"


def ensure_sample(cache_dir: Path, progress: Callable[[float], None] | None = None) -> SampleModel:
    """Return the sample model's files, writing what is missing or damaged.

    `progress` is told the fraction done, 0 to 1, only ever rising. Two processes may do this at once: each
    writes a file of its own and moves it into place, and both files are the same byte for byte.

    Raises KnownError "sample_not_written" when the folder cannot be written or the disk is full.
    """
    report = progress or (lambda _fraction: None)
    paths = [sample_path(cache_dir, recipe.name) for recipe in _RECIPES]
    report(0.0)
    missing = [(path, recipe) for path, recipe in zip(paths, _RECIPES, strict=True) if not _is_sound(path)]
    if missing:
        try:
            cache_dir.mkdir(parents=True, exist_ok=True)
            _remove_abandoned(cache_dir)
            vocabulary = build_vocabulary(PARTS, KNOWN_TEXT, START_PARTS)
            for number, (path, recipe) in enumerate(missing):

                def report_part(part: float, number: int = number) -> None:
                    report((number + part) / len(missing))

                _write_sample(path, vocabulary, recipe, report_part)
        except OSError as error:
            raise KnownError(
                "sample_not_written", path=str(cache_dir), reason=error.strerror or str(error)
            ) from error
    report(1.0)
    return SampleModel(q8_0=paths[0], q4_0=paths[1])


def _record_path(path: Path) -> Path:
    return path.with_suffix(".json")


def _fingerprint(path: Path) -> dict[str, int]:
    """Size and a checksum over a few spots: enough to notice a cut or overwritten file without reading it."""
    size = path.stat().st_size
    checksum = 0
    with path.open("rb") as file:
        for probe in range(_PROBES):
            file.seek(max(0, (size - _PROBE_BYTES) * probe // (_PROBES - 1)))
            checksum = zlib.crc32(file.read(_PROBE_BYTES), checksum)
    return {"size_bytes": size, "crc32": checksum}


def _is_sound(path: Path) -> bool:
    try:
        recorded = json.loads(_record_path(path).read_text(encoding="utf-8"))
        return bool(recorded == _fingerprint(path))
    except (OSError, ValueError):
        return False


def _remove_abandoned(cache_dir: Path) -> None:
    """Remove unfinished files whose writer is gone; it was killed before it could do so itself."""
    for leftover in cache_dir.glob("qtune-sample-*.part"):
        owner = leftover.name.rsplit(".", 2)[-2].partition("-")[0]
        if owner.isdigit() and not psutil.pid_exists(int(owner)):
            leftover.unlink(missing_ok=True)


def _write_sample(
    path: Path,
    vocabulary: SampleVocabulary,
    recipe: _Recipe,
    report: Callable[[float], None],
) -> None:
    mark = f".{os.getpid()}-{uuid.uuid4().hex[:8]}.part"
    unfinished, record = path.with_name(path.name + mark), _record_path(path)
    unfinished_record = record.with_name(record.name + mark)
    try:
        _write_gguf(unfinished, vocabulary, recipe, report)
        unfinished_record.write_text(json.dumps(_fingerprint(unfinished)), encoding="utf-8")
        unfinished.replace(path)
        unfinished_record.replace(record)
    finally:
        unfinished.unlink(missing_ok=True)
        unfinished_record.unlink(missing_ok=True)
    _log.info("sample model written: %s", path)


def _write_gguf(
    path: Path,
    vocabulary: SampleVocabulary,
    recipe: _Recipe,
    report: Callable[[float], None],
) -> None:
    writer = GGUFWriter(path, "qwen35")
    try:
        _add_facts(writer, SHAPE, recipe.file_type)
        _add_tokenizer(writer, vocabulary)
        tensors = list(SampleWeights(SHAPE, vocabulary, recipe.kind, recipe.wide).tensors())
        for tensor in tensors:
            writer.add_tensor_info(
                tensor.name, tensor.data.shape, tensor.data.dtype, tensor.data.nbytes, raw_dtype=tensor.kind
            )
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_ti_data_to_file()
        total = sum(tensor.data.nbytes for tensor in tensors)
        written = 0
        for tensor in tensors:
            writer.write_tensor_data(tensor.data)
            written += tensor.data.nbytes
            report(written / total)
    finally:
        writer.close()


def _add_facts(writer: GGUFWriter, shape: SampleShape, file_type: LlamaFileType) -> None:
    writer.add_name(SAMPLE_NAME)
    writer.add_description("Made by qtune to try it out. Its speed says nothing about other models.")
    writer.add_file_type(file_type)
    writer.add_quantization_version(2)
    writer.add_block_count(shape.layers + 1)
    writer.add_nextn_predict_layers(1)
    writer.add_context_length(shape.context)
    writer.add_embedding_length(shape.embedding)
    writer.add_feed_forward_length(shape.feed_forward)
    writer.add_head_count(shape.heads)
    writer.add_head_count_kv(shape.heads_kv)
    writer.add_key_length(shape.head_size)
    writer.add_value_length(shape.head_size)
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_rope_dimension_count(2 * sum(shape.rope_sections))
    writer.add_rope_dimension_sections(list(shape.rope_sections))
    writer.add_rope_freq_base(10_000_000.0)
    writer.add_ssm_conv_kernel(shape.ssm_conv)
    writer.add_ssm_inner_size(shape.ssm_inner)
    writer.add_ssm_state_size(shape.ssm_state)
    writer.add_ssm_time_step_rank(shape.ssm_heads)
    writer.add_ssm_group_count(shape.ssm_groups)
    writer.add_uint32("qwen35.full_attention_interval", shape.full_attention_interval)


def _add_tokenizer(writer: GGUFWriter, vocabulary: SampleVocabulary) -> None:
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("qwen2")
    writer.add_token_list(list(vocabulary.tokens))
    writer.add_token_types(list(vocabulary.types))
    writer.add_token_merges(list(vocabulary.merges))
    writer.add_bos_token_id(vocabulary.end_of_text)
    writer.add_eos_token_id(vocabulary.end_of_turn)
    writer.add_pad_token_id(vocabulary.end_of_text)
    writer.add_add_bos_token(False)  # noqa: FBT003 - the package's own signature
    writer.add_chat_template(CHAT_TEMPLATE)
