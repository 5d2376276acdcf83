"""What the window is waiting for; one at a time."""

from __future__ import annotations

from enum import StrEnum


class Activity(StrEnum):
    """The command in progress, from the click to its end."""

    IDLE = "idle"
    SAMPLE = "sample"
    STARTING = "starting"
    STOPPING = "stopping"
    MEASURING = "measuring"
