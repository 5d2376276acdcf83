"""Compiles requirements/*.txt: every version pinned, every file known by its hash, no addresses.

``make requirements`` runs it. dev.txt is compiled under run.txt, so that both agree on every version.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "requirements"

NOTE = """\
# Made by `make requirements` from pyproject.toml; do not edit.
#
# For Linux: what only Windows or macOS needs is not in here. There, use pip install "qtune[engine]".
# The hashes cover the files of every platform and of every Python from 3.11 on.
"""

OPTIONS = (
    "--quiet",
    "--generate-hashes",
    "--no-emit-index-url",
    "--no-emit-trusted-host",
    "--no-emit-find-links",
    "--no-emit-options",
    "--strip-extras",
    "--allow-unsafe",
    "--no-header",
    "--no-annotate",
    "--resolver=backtracking",
)


def group(groups: dict[str, list[str | dict[str, str]]], name: str) -> list[str]:
    """Requirements of a dependency group of pyproject.toml, included groups in full."""
    found = []
    for entry in groups[name]:
        found += group(groups, entry["include-group"]) if isinstance(entry, dict) else [entry]
    return found


def compile_pins(target: Path, wanted: list[str], *options: str) -> None:
    """Resolve what is wanted into the target; pins that it already has stay where they fit."""
    command = [
        sys.executable,
        "-m",
        "piptools",
        "compile",
        *OPTIONS,
        *options,
        "--output-file",
        str(target),
        "-",
    ]
    subprocess.run(command, input="\n".join(wanted), text=True, check=True, cwd=ROOT, env=dict(os.environ))
    pins = target.read_text(encoding="utf-8")
    if "://" in pins or "--index" in pins or "--find-links" in pins:
        sys.exit(f"{target.name} names an address; nothing of it may be committed.")
    target.write_text(NOTE + pins.removeprefix(NOTE), encoding="utf-8", newline="\n")


def main() -> None:
    """Write run.txt and dev.txt. With ``--upgrade``, move every pin to its newest version."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    table, groups = project["project"], project["dependency-groups"]
    wanted = [*table["dependencies"], *table["optional-dependencies"]["engine"], *group(groups, "build")]
    more = sys.argv[1:]
    compile_pins(FOLDER / "run.txt", wanted, *more)
    # The tests of the history run on a PostgreSQL server too.
    wanted += [*table["optional-dependencies"]["postgres"], *group(groups, "dev")]
    compile_pins(FOLDER / "dev.txt", wanted, "--constraint", str(FOLDER / "run.txt"), *more)


if __name__ == "__main__":
    main()
