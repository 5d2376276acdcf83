"""What a binary can do: its version, options, speculation types and devices, asked from itself."""

from __future__ import annotations

import asyncio
import importlib.metadata
import json
import logging
import os
import re
from pathlib import Path
from typing import Any, NamedTuple

import qtune
from qtune.core.engine_facts import DeviceFacts, EngineFacts, EngineRef
from qtune.core.errors import KnownError
from qtune.core.messages import Message
from qtune.engine.exit_status import signal_name
from qtune.host.child import GuardedChild, spawn_guarded
from qtune.host.environ import child_environment
from qtune.host.files import replace_file

PROBE_TIMEOUT_S = 20.0
"""A GPU build loads its backend for ``--list-devices``; from a cold disk that takes seconds."""

_OUTPUT_LIMIT = 4 << 20
_MIB = 1024**2
_log = logging.getLogger("qtune.engine")

_VERSION = re.compile(r"version:\s+(?:(\S+)\s+\(build (\d+), commit (\S+?)\)|(\d+)\s+\((\S+?)\))")
_NAME = re.compile(r"(-{1,2}[A-Za-z][A-Za-z0-9-]*)(?:\s*[,/|]\s*)?")
_REMOVED = re.compile(r"argument has been removed")
_DEVICE = re.compile(r"^\s+(\S+): (.*?)(?: \((\d+) MiB, (\d+) MiB free\))?\s*$")
_LOADER = re.compile(r"error while loading shared libraries|Library not loaded|GLIBC\w*_[\d.]+' not found")
_NO_CARDS = {"CPU", "BLAS", "AMX", "(none)"}
_TYPE = re.compile(r"[a-z][a-z0-9-]*")
_MUST_HAVE = {"--model", "--ctx-size"}


class _Said(NamedTuple):
    """How a probing call ended, and both its streams."""

    stdout: str
    stderr: str
    returncode: int


async def probe(
    ref: EngineRef, timeout_s: float = PROBE_TIMEOUT_S, *, empty_config_dir: Path | None = None
) -> EngineFacts:
    """Ask an engine for its version, options and devices.

    Args:
        ref: The engine.
        timeout_s: Limit for each of the three calls.
        empty_config_dir: See ``host.environ.child_environment``.

    Raises:
        KnownError: ``engine_foreign`` when it does not answer like llama-server, ``engine_probe_timeout``,
            ``engine_not_started``.
    """
    env = child_environment(empty_config_dir=empty_config_dir)
    said = await _ask(ref, "--version", env, timeout_s)
    _raise_if_broken(ref, said)
    version, build, commit = parse_version(f"{said.stderr}\n{said.stdout}", ref)
    said = await _ask(ref, "--help", env, timeout_s)
    options, removed, spec_types = parse_help(f"{said.stdout}\n{said.stderr}")
    if not options >= _MUST_HAVE:
        raise KnownError("engine_foreign", path=ref.path)
    devices, notes = await _devices(ref, env, timeout_s)
    return EngineFacts(
        ref=ref,
        version=version,
        build=build,
        commit=commit,
        options=options,
        removed=removed,
        spec_types=spec_types,
        devices=devices,
        notes=notes,
    )


def _raise_if_broken(ref: EngineRef, said: _Said) -> None:
    """A program that cannot even load is no foreign one: say what it lacks."""
    if said.returncode == 0:
        return
    words = [line.strip() for line in said.stderr.splitlines() if _LOADER.search(line)]
    reason = words[0].removeprefix(f"{ref.path}: ") if words else signal_name(said.returncode)
    if reason is not None:
        raise KnownError("engine_not_started", path=ref.path, reason=reason)


def parse_version(text: str, ref: EngineRef) -> tuple[str, int | None, str | None]:
    """Version line, build and commit; both forms that llama-server has had.

    Raises:
        KnownError: ``engine_foreign`` without such a line.
    """
    found = _VERSION.search(text)
    if found is None:
        raise KnownError("engine_foreign", path=ref.path)
    build = int(found[2] or found[4])
    commit = found[3] or found[5]
    # Builds from a source archive know neither and say 0 and "unknown".
    return found[0].partition(":")[2].strip(), build or None, None if commit == "unknown" else commit


def parse_help(text: str) -> tuple[frozenset[str], frozenset[str], tuple[str, ...]]:
    """Usable options, options listed only as removed, and the names ``--spec-type`` takes."""
    options: set[str] = set()
    removed: set[str] = set()
    spec_types: tuple[str, ...] = ()
    for block in _option_blocks(text):
        names, rest = _names(block)
        words = " ".join(rest.split())
        (removed if _REMOVED.search(words) else options).update(names)
        if "--spec-type" in names and words:
            hint = re.split(r"[,|]", words.split()[0].strip("[]{}<>"))
            spec_types = tuple(name for name in hint if _TYPE.fullmatch(name) and name != "none")
    return frozenset(options - removed), frozenset(removed), spec_types


def _option_blocks(text: str) -> list[str]:
    """The help cut into one text per option: it starts in column 0, its description is indented."""
    blocks: list[list[str]] = []
    is_open = False
    for line in text.splitlines():
        if _NAME.match(line):
            blocks.append([line])
            is_open = True
        elif is_open and line[:1] in {" ", "\t"}:
            blocks[-1].append(line)
        else:
            is_open = False
    return ["\n".join(block) for block in blocks]


def _names(block: str) -> tuple[list[str], str]:
    names, at = [], 0
    while (found := _NAME.match(block, at)) is not None:
        names.append(found[1])
        at = found.end()
        if not found[0].rstrip().endswith((",", "/", "|")):
            break
    return names, block[at:]


async def _devices(
    ref: EngineRef, env: dict[str, str], timeout_s: float
) -> tuple[tuple[DeviceFacts, ...], tuple[Message, ...]]:
    """Devices, and a note in place of an error: without this list the engine can still be used."""
    try:
        said = await _ask(ref, "--list-devices", env, timeout_s)
    except KnownError as error:
        if error.code != "engine_probe_timeout":
            raise
        return (), (Message.of("engine_devices_unknown", path=ref.path, seconds=round(timeout_s)),)
    return parse_devices(said.stdout) or parse_devices(said.stderr), ()


def parse_devices(text: str) -> tuple[DeviceFacts, ...]:
    """The cards of ``--list-devices``; memory in bytes. Processor and BLAS entries are no cards."""
    _, _, listed = text.partition("Available devices:")
    found = []
    for line in listed.splitlines()[1:]:
        device = _DEVICE.match(line)
        if device is None:
            if line.strip() and not line.startswith((" ", "\t")):
                break
            continue
        name, about, total, free = device.groups()
        if name not in _NO_CARDS:
            sizes = [None if size is None else int(size) * _MIB for size in (total, free)]
            found.append(DeviceFacts(name, about, sizes[0], sizes[1]))
    return tuple(found)


async def _ask(ref: EngineRef, question: str, env: dict[str, str], timeout_s: float) -> _Said:
    """Run the engine with one option and collect what it prints, bounded in size and time."""
    try:
        async with asyncio.timeout(timeout_s):
            child = await spawn_guarded((*ref.command, question), env)
            try:
                return await _listen(child)
            finally:
                if child.returncode is None:
                    child.kill()
                await child.wait()
    except TimeoutError as error:
        raise KnownError("engine_probe_timeout", path=ref.path, seconds=round(timeout_s)) from error


async def _listen(child: GuardedChild) -> _Said:
    stdout, stderr = await asyncio.gather(_collect(child.stdout), _collect(child.stderr))
    return _Said(stdout, stderr, await child.wait())


async def _collect(stream: asyncio.StreamReader) -> str:
    kept = bytearray()
    while chunk := await stream.read(1 << 16):
        kept += chunk[: _OUTPUT_LIMIT - len(kept)]
    return kept.decode("utf-8", "replace").replace("\r\n", "\n")


class ProbeCache:
    """Facts of engines already asked, in one JSON file; a damaged file is an empty cache."""

    def __init__(self, file: Path) -> None:
        self._file = file

    async def facts(
        self, ref: EngineRef, timeout_s: float = PROBE_TIMEOUT_S, *, empty_config_dir: Path | None = None
    ) -> EngineFacts:
        """Cached facts, or those of a fresh ``probe`` (whose errors it raises)."""
        known = self.get(ref)
        if known is None:
            known = await probe(ref, timeout_s, empty_config_dir=empty_config_dir)
            self.put(known)
        return known

    def get(self, ref: EngineRef) -> EngineFacts | None:
        """Facts of an engine that has not changed since, None if unknown."""
        key = _key(ref)
        entry = None if key is None else self._read().get(key)
        if entry is None:
            return None
        try:
            return _from_plain(ref, entry)
        except (KeyError, TypeError, ValueError):
            return None

    def put(self, facts: EngineFacts) -> None:
        """Remember facts, unless a part of them is missing; a file that cannot be written is only logged."""
        key = _key(facts.ref)
        if key is None or facts.notes:
            return
        entries = {**self._read(), key: _to_plain(facts)}
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            replace_file(self._file, json.dumps(entries, indent=1).encode())
        except OSError as error:
            _log.warning("probe cache %s not written: %s", self._file, error.strerror)

    def _read(self) -> dict[str, Any]:
        try:
            entries = json.loads(self._file.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            return {}
        return entries if isinstance(entries, dict) else {}


def _key(ref: EngineRef) -> str | None:
    """What an answer depends on: the file's place, time and size, and this version of the questions."""
    if ref.kind == "bundled":
        try:
            version = importlib.metadata.version("xllamacpp")
        except importlib.metadata.PackageNotFoundError:
            return None
        return f"bundled|{version}|{qtune.__version__}"
    try:
        status = Path(ref.path).stat()
    except OSError:
        return None
    return f"{os.path.realpath(ref.path)}|{status.st_mtime_ns}|{status.st_size}|{qtune.__version__}"


def _to_plain(facts: EngineFacts) -> dict[str, Any]:
    return {
        "version": facts.version,
        "build": facts.build,
        "commit": facts.commit,
        "options": sorted(facts.options),
        "removed": sorted(facts.removed),
        "spec_types": list(facts.spec_types),
        # What was free then is of no use later.
        "devices": [[device.name, device.description, device.total_bytes] for device in facts.devices],
    }


def _from_plain(ref: EngineRef, entry: dict[str, Any]) -> EngineFacts:
    build, commit = entry["build"], entry["commit"]
    return EngineFacts(
        ref=ref,
        version=str(entry["version"]),
        build=None if build is None else int(build),
        commit=None if commit is None else str(commit),
        options=frozenset(map(str, entry["options"])),
        removed=frozenset(map(str, entry["removed"])),
        spec_types=tuple(map(str, entry["spec_types"])),
        devices=tuple(DeviceFacts(name, about, total, None) for name, about, total in entry["devices"]),
    )
