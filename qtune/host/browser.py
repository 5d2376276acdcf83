"""Makes a PDF of a page with a browser of the Chromium family, where this computer has one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

import psutil

from qtune.core.errors import KnownError
from qtune.host.environ import without_bundle_paths

LIMIT_S: Final = 120.0
"""A page of ours takes some seconds, the first start of a browser on a busy computer much longer."""

_COMMANDS: Final = (
    "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge",
    "microsoft-edge-stable", "brave-browser", "msedge",
)  # fmt: skip
_MAC: Final = ("Google Chrome", "Chromium", "Microsoft Edge", "Brave Browser")
_WINDOWS: Final = (
    r"Google\Chrome\Application\chrome.exe",
    r"Microsoft\Edge\Application\msedge.exe",
    r"Chromium\Application\chrome.exe",
    r"BraveSoftware\Brave-Browser\Application\brave.exe",
)


def find_browser() -> Path | None:
    """The first browser that is found: on the search path, then where the systems install them."""
    for command in _COMMANDS:
        found = shutil.which(command)
        if found is not None:
            return Path(found)
    return next((path for path in _usual_places() if path.is_file()), None)


def _usual_places() -> list[Path]:
    if sys.platform == "darwin":
        roots = [Path("/Applications"), Path.home() / "Applications"]
        return [root / f"{name}.app" / "Contents" / "MacOS" / name for root in roots for name in _MAC]
    names = ("PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA")
    given = [root for name in names if (root := os.environ.get(name))]
    return [Path(root) / place for root in given for place in _WINDOWS]


def print_page(html: str, limit_s: float = LIMIT_S) -> bytes:
    """PDF of a page that needs nothing but itself.

    Raises:
        KnownError: ``pdf_no_browser`` where none is found, ``pdf_failed`` with what it said.
    """
    browser = find_browser()
    if browser is None:
        raise KnownError("pdf_no_browser")
    # A profile of its own: the user's may be open, and none of its extensions is to see the page.
    with tempfile.TemporaryDirectory(prefix="qtune-pdf-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        page, target = folder / "page.html", folder / "page.pdf"
        page.write_text(html, encoding="utf-8", errors="replace", newline="")
        words = [
            str(browser), "--headless", "--disable-gpu", "--no-first-run", "--no-default-browser-check",
            "--disable-extensions", "--disable-background-networking", "--no-pdf-header-footer",
            f"--user-data-dir={folder / 'profile'}", f"--print-to-pdf={target}",
        ]  # fmt: skip
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            words.append("--no-sandbox")  # its sandbox refuses to work for root
        said = _run([*words, page.as_uri()], limit_s)
        if not target.is_file() or not target.stat().st_size:
            raise KnownError("pdf_failed", program=str(browser), reason=said or "it wrote nothing")
        return target.read_bytes()


def _run(command: list[str], limit_s: float) -> str:
    """Last line that the browser said; it and what it started are ended at the limit."""
    flags = getattr(subprocess, "CREATE_NO_WINDOW", 0)
    try:
        with subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=without_bundle_paths(os.environ),
            creationflags=flags,
        ) as browser:
            try:
                _, errors = browser.communicate(timeout=limit_s)
            except subprocess.TimeoutExpired:
                _end(browser.pid)
                browser.communicate()
                return f"no end after {limit_s:.0f} s"
    except OSError as error:
        return error.strerror or str(error)
    lines = errors.decode("utf-8", "replace").strip().splitlines()
    return lines[-1][:200] if lines else ""


def _end(pid: int) -> None:
    try:
        family = [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]
    except psutil.NoSuchProcess:
        return
    for one in family:
        try:
            one.kill()
        except psutil.NoSuchProcess:
            continue
