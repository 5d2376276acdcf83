"""Keeps the translations: `update` collects the texts, `build` compiles them, `check` finds what is missing.

Texts are found where they stand: ``self.tr("...")`` and ``QCoreApplication.translate("...", "...")`` in
qtune/ui, and ``QT_TRANSLATE_NOOP`` in the modules of the core that hold sentences. English needs a file
for its plural forms only.

What lupdate does not see, and `check` therefore refuses: f-strings and other texts that are not literals,
a text in brackets of its own, and a plural through ``translate`` (it takes the number but makes no plural
forms, or drops the text). Plurals go through ``self.tr("%n run(s)", "", n)``.
"""

from __future__ import annotations

import argparse
import ast
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from xml.etree import ElementTree as ET

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "resources" / "i18n"
CHINESE = FOLDER / "qtune_zh_CN.ts"
ENGLISH = FOLDER / "qtune_en.ts"
NOOP_ALIAS = "_N"
MARKED = ("messages.py", "*_texts.py", "settings.py")
"""Modules of the core that hold sentences."""


def qt_tool(name: str) -> Path | None:
    """The Qt program of that name (lupdate, lrelease) that came with PySide6, None when it is not there."""
    spec = find_spec("PySide6")
    suffix = ".exe" if sys.platform == "win32" else ""
    if spec is not None and spec.origin is not None:
        program = Path(spec.origin).parent / (name + suffix)
        if program.is_file():
            return program
    found = shutil.which(f"pyside6-{name}", path=str(Path(sys.executable).parent))
    return None if found is None else Path(found)


def compile_all(folder: Path = FOLDER) -> list[Path]:
    """Compile every .ts of the folder to the .qm beside it that is missing or older; returns all .qm files.

    Raises FileNotFoundError when there is something to compile and no lrelease.
    """
    compiled = []
    for source in sorted(folder.glob("*.ts")):
        target = source.with_suffix(".qm")
        compiled.append(target)
        if target.exists() and target.stat().st_mtime >= source.stat().st_mtime:
            continue
        tool = qt_tool("lrelease")
        if tool is None:
            raise FileNotFoundError("lrelease of PySide6-Essentials was not found.")
        # A window that is open has the old file mapped into memory: it is replaced, never written over.
        with tempfile.TemporaryDirectory(dir=folder) as place:
            made = Path(place) / target.name
            subprocess.run([str(tool), "-silent", str(source), "-qm", str(made)], check=True)
            made.replace(target)
    return compiled


def sources() -> list[Path]:
    """Modules that hold texts."""
    core = ROOT / "qtune" / "core"
    return [
        *sorted((ROOT / "qtune" / "ui").rglob("*.py")),
        *(f for name in MARKED for f in sorted(core.glob(name))),
    ]


def collect(chinese: Path, english: Path) -> None:
    """Let lupdate bring both files up to date; translations that are already there stay."""
    tool = qt_tool("lupdate")
    if tool is None:
        sys.exit("lupdate was not found; it comes with PySide6-Essentials: make setup")
    names = [str(path.relative_to(ROOT)) for path in sources()]
    common = ["-silent", "-no-obsolete", "-locations", "none", "-source-language", "en"]
    common += ["-tr-function-alias", f"QT_TRANSLATE_NOOP+={NOOP_ALIAS}"]
    for target, more in ((chinese, []), (english, ["-pluralonly"])):
        subprocess.run([str(tool), *common, *more, *names, "-ts", str(target)], check=True, cwd=ROOT)


@dataclass(frozen=True)
class Entry:
    """One text of a .ts file."""

    context: str
    source: str
    plural: bool
    finished: bool


def entries(path: Path) -> list[Entry]:
    """All texts of a .ts file."""
    found = []
    for context in ET.parse(path).getroot().iter("context"):  # noqa: S314 - our own file
        for message in context.iter("message"):
            translation = message.find("translation")
            texts = [] if translation is None else [form.text for form in translation.iter("numerusform")]
            texts = texts or [None if translation is None else translation.text]
            finished = translation is not None and not translation.get("type") and all(texts)
            plural = message.get("numerus") == "yes"
            source = message.findtext("source") or ""
            found.append(Entry(context.findtext("name") or "", source, plural, finished))
    return found


def calls(path: Path) -> Iterator[tuple[int, str | None]]:
    """Line and text of each call that asks for a translation; None for a text that is not a literal."""
    place = {"tr": 0, "translate": 1, "QT_TRANSLATE_NOOP": 1, NOOP_ALIAS: 1}
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        function = node.func
        name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
        if name not in place or len(node.args) <= place[name]:
            continue
        argument = node.args[place[name]]
        literal = isinstance(argument, ast.Constant) and isinstance(argument.value, str)
        yield node.lineno, argument.value if literal else None


def faults() -> list[str]:
    """Everything that keeps the translations from being complete, one sentence each."""
    with tempfile.TemporaryDirectory() as folder:
        fresh = {path: Path(folder) / path.name for path in (CHINESE, ENGLISH)}
        for committed, copy in fresh.items():
            if committed.exists():
                shutil.copy(committed, copy)
        collect(fresh[CHINESE], fresh[ENGLISH])
        current = {path: entries(copy) for path, copy in fresh.items()}
    found = [
        f"{path.name}: no translation of {entry.source!r} ({entry.context})"
        for path, texts in current.items()
        for entry in texts
        if not entry.finished
    ]
    for path, texts in current.items():
        kept = entries(path) if path.exists() else []
        gone = {(e.context, e.source) for e in kept} - {(e.context, e.source) for e in texts}
        found += [f"{path.name}: obsolete: {source!r} ({context})" for context, source in sorted(gone)]
    known = {entry.source: entry.plural for entry in current[CHINESE]}
    return found + [fault for path in sources() for fault in unseen(path, known)]


def unseen(path: Path, known: dict[str, bool]) -> list[str]:
    """Calls of a module whose text lupdate missed, or took for no plural."""
    found = []
    for line, text in calls(path):
        place = f"{path.relative_to(ROOT)}:{line}"
        if text is None:
            # ui passes texts on that core marked with QT_TRANSLATE_NOOP; these are names, not f-strings.
            continue
        if text not in known:
            found.append(f"{place}: lupdate does not see {text!r}")
        elif "%n" in text and not known[text]:
            found.append(f"{place}: no plural forms for {text!r}; use self.tr(text, '', n)")
    return found


def main() -> int:
    """Do the one thing asked for; 1 when `check` found something."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("action", choices=("update", "build", "check"))
    action = parser.parse_args().action
    if action == "update":
        FOLDER.mkdir(parents=True, exist_ok=True)
        collect(CHINESE, ENGLISH)
    elif action == "build":
        compile_all()
    else:
        found = faults()
        print("\n".join(found) or "All texts are translated.")
        return 1 if found else 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
