"""Every code has exactly one text, wherever it stands."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
from types import ModuleType

import qtune.core
from qtune.core import messages


def codes(module: ModuleType) -> list[str]:
    """Codes written in a module's tables, doubles included."""
    return [
        key.value
        for node in ast.walk(ast.parse(inspect.getsource(module)))
        if isinstance(node, ast.Dict)
        for key, value in zip(node.keys, node.values, strict=True)
        if isinstance(key, ast.Constant) and isinstance(key.value, str) and isinstance(value, ast.Call)
    ]


def test_no_code_has_two_texts() -> None:
    names = [m.name for m in pkgutil.iter_modules(qtune.core.__path__) if m.name.endswith("_texts")]
    tables = [importlib.import_module(f"qtune.core.{name}") for name in names]
    listed = [code for module in (messages, *tables) for code in codes(module)]

    assert sorted(listed) == sorted(set(listed))
    assert set(listed) == set(messages.TEXTS)
