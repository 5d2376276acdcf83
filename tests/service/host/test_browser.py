"""A page becomes a PDF with a browser that is here; without one, or with one that fails, it is said."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import psutil
import pytest

from qtune.core.errors import KnownError
from qtune.host import browser
from qtune.report.html_report import html_report
from tests.unit.report.exported import comparison

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="a script in the place of a browser")


def test_a_report_is_printed() -> None:
    if browser.find_browser() is None:
        pytest.skip("no browser of the Chromium family is installed")
    pdf = browser.print_page(html_report(comparison(3)))
    assert pdf.startswith(b"%PDF-")
    assert pdf.rstrip().endswith(b"%%EOF")
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) in {2, 3, 4}


def only(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str | None) -> None:
    """Let a script be the only browser there is; None for no browser."""
    folder.mkdir()
    if script is not None:
        (folder / "chromium").write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        (folder / "chromium").chmod(0o700)
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setattr(browser, "_usual_places", list)


def test_that_there_is_none_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    only(tmp_path / "bin", monkeypatch, None)
    with pytest.raises(KnownError) as caught:
        browser.print_page("<p>x</p>")
    assert caught.value.code == "pdf_no_browser"
    assert "any browser" in caught.value.message.hint()


@POSIX
def test_what_it_said_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    only(tmp_path / "bin", monkeypatch, "echo no display >&2; exit 3")
    with pytest.raises(KnownError, match="printed no PDF: no display"):
        browser.print_page("<p>x</p>")


@POSIX
def test_one_that_hangs_is_ended_with_what_it_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pids = tmp_path / "pids"
    only(tmp_path / "bin", monkeypatch, f"/bin/sleep 300 & echo $$ $! > '{pids}'; wait")
    with pytest.raises(KnownError, match="no end after 1 s"):
        browser.print_page("<p>x</p>", limit_s=1)
    assert not [pid for pid in pids.read_text().split() if _runs(int(pid))]


def _runs(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
