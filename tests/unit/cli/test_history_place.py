"""``qtune db use`` and ``qtune db where``: an address is shown without its password, faults are sentences."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from qtune.cli.main import main

ADDRESS = "postgresql://me@127.0.0.1:1/qtune"


def test_another_place_is_stored_shown_and_given_up_again(
    qtune_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("psycopg")
    given = ADDRESS.replace("me@", "me:geheim@")
    assert main(["db", "use", given]) == 1
    assert main(["db", "where"]) == 0
    assert f"{qtune_home / 'data' / 'qtune.db'}" in capsys.readouterr().out.replace("\n", "")
    assert main(["db", "use", given, "--untried", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["result"]
    assert told["place"] == ADDRESS
    # The tests have no key ring.
    assert [note["code"] for note in told["notes"]] == ["keyring_missing"]
    assert main(["db", "where", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "history_unreachable"
    (qtune_home / "data" / "shared-0123.pending-1-1000").write_text("{}\n")
    assert main(["db", "use", "file"]) == 0
    assert main(["db", "check"]) == 1
    assert main(["history", "list"]) == 0
    capsys.readouterr()
    assert main(["db", "check", "--json"]) == 1
    problems = json.loads(capsys.readouterr().out)["result"]["problems"]
    assert [problem["code"] for problem in problems] == ["history_check_elsewhere"]
    files = [path.read_bytes() for path in qtune_home.rglob("*") if path.is_file()]
    assert not any(b"geheim" in content for content in files)
