"""Every code has exactly one text, wherever it stands."""

from __future__ import annotations

import ast
import inspect
from types import ModuleType

from qtune.core import messages, method_texts


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
    listed = codes(messages) + codes(method_texts)

    assert sorted(listed) == sorted(set(listed))
    assert set(listed) == set(messages.TEXTS)
