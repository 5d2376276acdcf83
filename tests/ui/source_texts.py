"""Finds texts in the source of the window that reach a user without a translator seeing them.

The rule is turned round so that a new way to show a text needs no entry here: every literal that reads like
words is a fault unless it stands in a call for translation, in a place where no user looks, or on the list of
the exempt, each with its reason. Words that read like code (``ready``) are a fault only where a text is set;
what slips through there is found by the pseudo-language, in which the window is run.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
UI: Final = ROOT / "qtune" / "ui"

MARKS: Final = frozenset({"tr", "translate", "_translate", "QT_TRANSLATE_NOOP", "_N"})
"""Calls whose literals lupdate collects; ``_N`` is short for the one before (packaging/translations.py)."""
NOT_SHOWN: Final[Mapping[str, str]] = {
    "cast": "a type",
    "TypeVar": "a type",
    "compile": "a pattern",
    "sub": "a pattern",
    "fullmatch": "a pattern",
    "strftime": "a form that is no text",
    "QKeySequence": "a key",
    "debug": "the log is for us",
    "info": "the log is for us",
    "warning": "the log is for us",
    "error": "the log is for us",
    "exception": "the log is for us",
    "BugError": "a fault of ours, with its traceback",
    "removeprefix": "is looked for, not shown",
    "removesuffix": "is looked for, not shown",
    "startswith": "is looked for, not shown",
    "endswith": "is looked for, not shown",
    "replace": "is looked for, not shown",
    "width": "is measured, not shown",
    "when": "is measured, not shown",
}
"""Calls whose literals no user sees."""
SETTERS: Final = frozenset(
    {
        "QAction",
        "QCheckBox",
        "QGroupBox",
        "QLabel",
        "QMessageBox",
        "QPushButton",
        "QRadioButton",
        "QToolButton",
        "addAction",
        "addButton",
        "addItem",
        "addItems",
        "addMenu",
        "addTab",
        "confirm",
        "drawText",
        "pick_file",
        "pick_folder",
        "pick_target",
        "setAccessibleDescription",
        "setAccessibleName",
        "setHeaderLabels",
        "setHorizontalHeaderLabels",
        "setHtml",
        "setInformativeText",
        "setLabel",
        "setPlaceholderText",
        "setPlainText",
        "setPrefix",
        "setStatusTip",
        "setSuffix",
        "setText",
        "setTitle",
        "setToolTip",
        "setWhatsThis",
        "setWindowTitle",
        "set_about",
        "set_heading",
        "set_tip",
        "showMessage",
    }
)
"""Calls that show their literals, so that even a single small word is a text there."""
CODE_LIKE: Final = re.compile(r"[a-z0-9_./#:*@=,&?-]+|[A-Z_]{3,}")
KEYS: Final = re.compile(
    r"((Ctrl|Shift|Alt|Meta)\+)*(F\d+|Esc|Space|Down|Up|Left|Right|Del|Return|Home|End|.)"
)
MARKUP: Final = re.compile(r"\s*(</?(svg|path|rect|circle|g)\b|Q\w+[^{]*\{[^}]*\})")
"""Pictures and style sheets."""

Exempt = Mapping[tuple[str, str], str]
"""Module (below qtune/ui) and literal, with the reason why it is no text to translate."""


def faults(exempt: Exempt) -> list[str]:
    """One sentence for each text a translator does not see, and for each exemption no longer needed."""
    found, used = [], set()
    for path in sorted(UI.rglob("*.py")):
        module = path.relative_to(UI).as_posix()
        for line, text, why in module_faults(path.read_text(encoding="utf-8")):
            if (module, text) in exempt:
                used.add((module, text))
            else:
                found.append(f"qtune/ui/{module}:{line}: {why}: {text!r}")
    return found + [f"exempt, but not there: {key}" for key in exempt if key not in used]


def module_faults(source: str) -> Iterator[tuple[int, str, str]]:
    """Line, literal and what is wrong, for one module's source."""
    tree = ast.parse(source)
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _name(node) in MARKS:
            yield from _call_faults(node)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            why = _literal_fault(node, parents)
            if why:
                yield node.lineno, node.value, why


def _call_faults(call: ast.Call) -> Iterator[tuple[int, str, str]]:
    """What lupdate cannot read, or reads as something else than what is asked for at run time."""
    name = _name(call)
    text = call.args[0 if name == "tr" else 1] if len(call.args) > (name != "tr") else None
    literal = isinstance(text, ast.Constant) and isinstance(text.value, str)
    shown = ast.unparse(call)
    if isinstance(text, ast.JoinedStr | ast.BinOp) or (
        name in ("tr", "QT_TRANSLATE_NOOP", "_N") and not literal
    ):
        yield call.lineno, shown, "not a literal, so lupdate does not see it"
    if not literal:
        return
    assert isinstance(text, ast.Constant)
    plural = "%n" in text.value or "%Ln" in text.value
    if plural and (name != "tr" or len(call.args) != 3):
        yield call.lineno, shown, "a plural needs self.tr(text, '', n), all by position"
    if "(s)" in text.value and not plural:
        yield call.lineno, shown, "a plural without its number: use %n"
    if not text.value.strip():
        yield call.lineno, shown, "nothing to translate; Qt answers with the file's own header"


def _literal_fault(node: ast.Constant, parents: Mapping[ast.AST, ast.AST]) -> str:
    text = node.value
    if not any(c.isalpha() for c in text) or isinstance(parents[node], ast.Expr):
        return ""
    inner: ast.AST = node
    while not isinstance(outer := parents[inner], ast.stmt):
        if isinstance(outer, ast.Compare) or (isinstance(outer, ast.Subscript) and inner is outer.slice):
            return ""
        if isinstance(outer, ast.Call):
            name = _name(outer)
            if name in MARKS or (name in NOT_SHOWN and inner in outer.args):
                return ""
            if name in SETTERS and inner is not outer.func:
                return "is shown as it stands"
            if name not in ("format", "join", "str", "tuple", "list"):
                break
        inner = outer
    if CODE_LIKE.fullmatch(text) or KEYS.fullmatch(text) or MARKUP.match(text):
        return ""
    return "reads like words, but no translator sees it"


def _name(call: ast.Call) -> str:
    function = call.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
