"""Charts as SVG for HTML and PDF: bars with intervals, and lines with gaps.

Kept to SVG Tiny, which is all that Qt draws: colours are hex attributes, there are no classes and no scripts.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

COLOURS: Final = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#B98500", "#3A9BD9")
"""Told apart with every kind of colour vision, and on light and dark ground."""

_WIDTH: Final = 720
_LEFT: Final = 150
_BAR: Final = 22
_STEP: Final = 38
_TICKS: Final = 5


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar with its interval; ``value`` None is a bar that could not be measured."""

    label: str
    value: float | None
    low: float | None
    high: float | None
    colour: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Series:
    """One line; None in ``values`` is a gap."""

    label: str
    values: tuple[float | None, ...]
    colour: str


def bars(items: Sequence[Bar], unit: str, *, ink: str = "currentColor") -> str:
    """Horizontal bars from 0 (or the lowest end below it), with the interval as a line across the end."""
    ends = [v for bar in items for v in (bar.value, bar.low, bar.high) if v is not None and math.isfinite(v)]
    low, high, step = _scale(min([0.0, *ends]), max([0.0, *ends]))
    height = _STEP * len(items) + 34
    right = _WIDTH - 130

    def x(value: float) -> float:
        return _LEFT + (value - low) / (high - low) * (right - _LEFT)

    ticks = [(tick, x(tick)) for tick in _ticks(low, high, step)]
    parts = list(_grid(ticks, height - 30, ink))
    for n, bar in enumerate(items):
        top = n * _STEP + (_STEP - _BAR) / 2
        parts.append(_text(_LEFT - 8, top + 16, bar.label, ink, "end"))
        if bar.value is None:
            parts.append(_text(_LEFT + 6, top + 16, "–", ink))
            continue
        begin, end = sorted((x(0), x(bar.value)))
        parts.append(
            f'<rect x="{begin:.1f}" y="{top:.1f}" width="{max(end - begin, 1):.1f}" height="{_BAR}" '
            f'fill="{bar.colour}" fill-opacity="0.75"/>'
        )
        if bar.low is not None and bar.high is not None:
            parts += _interval(x(bar.low), x(bar.high), top + _BAR / 2, ink)
        parts.append(_text(right + 10, top + 16, bar.text or f"{bar.value:.1f}", ink))
    parts.append(_text(right + 26, height - 14, unit, ink))
    return _svg(height, parts)


def _interval(low: float, high: float, y: float, ink: str) -> list[str]:
    ends = [f"M{at:.1f} {y - 6:.1f}V{y + 6:.1f}" for at in (low, high)]
    path = f"M{low:.1f} {y:.1f}H{high:.1f}{''.join(ends)}"
    return [f'<path d="{path}" stroke="{ink}" stroke-width="1.5" fill="none"/>']


def lines(series: Sequence[Series], x_label: str, y_label: str, *, ink: str = "currentColor") -> str:
    """Lines over the number of the request, from 1; the vertical scale begins at 0."""
    known = [v for one in series for v in one.values if v is not None and math.isfinite(v)]
    low, high, step = _scale(0.0, max([0.0, *known]))
    count = max([2, *(len(one.values) for one in series)])
    top, bottom, left, right = 16, 240, 60, _WIDTH - 16

    def x(n: int) -> float:
        return left + n / (count - 1) * (right - left)

    def y(value: float) -> float:
        return bottom - (value - low) / (high - low) * (bottom - top)

    parts = []
    for tick in _ticks(low, high, step):
        parts.append(
            f'<path d="M{left} {y(tick):.1f}H{right}" stroke="{ink}" stroke-opacity="0.15" fill="none"/>'
        )
        parts.append(_text(left - 6, y(tick) + 4, f"{tick:g}", ink, "end"))
    for one in series:
        for run in _unbroken(one.values):
            points = " ".join(f"{x(n):.1f},{y(v):.1f}" for n, v in run)
            parts.append(
                f'<polyline points="{points}" fill="none" stroke="{one.colour}" stroke-width="2"/>'
                if len(run) > 1
                else f'<circle cx="{x(run[0][0]):.1f}" cy="{y(run[0][1]):.1f}" r="3" fill="{one.colour}"/>'
            )
    at = float(left)
    for one in series:
        parts.append(f'<rect x="{at:.1f}" y="{bottom + 30}" width="14" height="10" fill="{one.colour}"/>')
        parts.append(_text(at + 20, bottom + 39, one.label, ink))
        at += 40 + 8 * sum(2 if ord(c) > 0x2E80 else 1 for c in one.label)
    parts.append(_text(right, bottom + 18, x_label, ink, "end"))
    parts.append(_text(left, 11, y_label, ink))
    return _svg(bottom + 48, parts)


def _unbroken(values: Sequence[float | None]) -> Iterator[list[tuple[int, float]]]:
    run: list[tuple[int, float]] = []
    for n, value in enumerate(values):
        if value is not None and math.isfinite(value):
            run.append((n, value))
        elif run:
            yield run
            run = []
    if run:
        yield run


def _scale(low: float, high: float) -> tuple[float, float, float]:
    """Ends and step of a scale with round numbers that holds both values."""
    span = high - low or 1.0
    raw = span / _TICKS
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(power * m for m in (1, 2, 5, 10) if power * m >= raw)
    return math.floor(low / step) * step, math.ceil((low + span) / step) * step, step


def _ticks(low: float, high: float, step: float) -> list[float]:
    return [round(low + n * step, 10) for n in range(round((high - low) / step) + 1)]


def _grid(ticks: Sequence[tuple[float, float]], bottom: float, ink: str) -> Iterator[str]:
    """Vertical lines of a scale, each with its value; the one at 0 is stronger."""
    for tick, x in ticks:
        opacity = "0.5" if tick == 0 else "0.15"
        yield f'<path d="M{x:.1f} 0V{bottom:.1f}" stroke="{ink}" stroke-opacity="{opacity}" fill="none"/>'
        yield _text(x, bottom + 16, f"{tick:g}", ink, "middle")


def _text(x: float, y: float, text: str, ink: str, anchor: str = "start") -> str:
    shown = "".join(c if c.isprintable() else " " for c in text)
    shown = shown if len(shown) <= 22 else shown[:21] + "…"
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" fill="{ink}" font-size="13" text-anchor="{anchor}">'
        f"{escape(shown)}</text>"
    )


def _svg(height: float, parts: Sequence[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height:.0f}" role="img" '
        f'font-family="sans-serif">{"".join(parts)}</svg>'
    )
