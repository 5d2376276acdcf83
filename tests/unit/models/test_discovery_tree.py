"""The search over a folder of awkward files: every fact right, nothing counted twice, none forgotten."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from qtune.models.discovery import ModelSearch, find_models
from qtune.models.header_cache import HeaderCache
from tests.unit.models.tree import Tree, make_tree


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Tree:
    return make_tree(tmp_path_factory.mktemp("tree"))


def check(tree: Tree, search: ModelSearch) -> None:
    assert tree.files >= 30 or sys.platform == "win32"
    paths = [model.path for model in search.models]
    assert sorted(paths) == sorted(tree.models)
    facts = {m.path: (m.quant, m.mtp, len(m.files), m.size_bytes) for m in search.models}
    assert facts == tree.models
    assert {str(dict(p.params)["path"]): p.code for p in search.problems} == tree.problems
    assert len(search.problems) == len(tree.problems)
    assert not search.cut
    listed = [file for model in search.models for file in model.files]
    identities = {(os.stat(file).st_dev, os.stat(file).st_ino) for file in listed}  # noqa: PTH116
    assert len(identities) == len(listed)


def test_every_fact(tree: Tree) -> None:
    begun = time.process_time()
    search = find_models([tree.root, tree.root / "hub", tree.root])
    assert time.process_time() - begun < 2
    check(tree, search)
    by_name = {Path(model.path).name: model for model in search.models}
    assert by_name["nameless-Q4_0.gguf"].name == "nameless-Q4_0"
    assert {model.context_train for model in search.models} == {262144}
    bare = by_name["Bare-Q8_0.gguf"]
    assert bare.sidecars == (str(tree.root / "pub" / "MTP" / "mtp-Bare-Q8_0.gguf"),)
    if sys.platform != "win32":
        assert by_name["Hub-Q8_0.gguf"].name == "Hub"


def test_the_same_from_remembered_headers(tree: Tree, tmp_path: Path) -> None:
    first = find_models([tree.root], cache=HeaderCache(tmp_path / "models.json"))
    again = find_models([tree.root], cache=HeaderCache(tmp_path / "models.json"))
    check(tree, again)
    assert again.models == first.models
