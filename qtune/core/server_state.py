"""The states of one supervised server and the steps between them, as a table."""

from __future__ import annotations

from enum import StrEnum

from qtune.core.errors import BugError


class ServerState(StrEnum):
    """What the state pill shows."""

    STOPPED = "stopped"
    STARTING = "starting"
    LOADING = "loading"
    READY = "ready"
    MEASURING = "measuring"
    STOPPING = "stopping"
    CRASHED = "crashed"


_S = ServerState
ALLOWED: dict[ServerState, frozenset[ServerState]] = {
    # STARTING: the process is being created; LOADING: it lives, but has not yet proved itself.
    _S.STOPPED: frozenset({_S.STARTING}),
    _S.STARTING: frozenset({_S.LOADING, _S.STOPPING, _S.CRASHED}),
    _S.LOADING: frozenset({_S.READY, _S.STOPPING, _S.CRASHED}),
    _S.READY: frozenset({_S.MEASURING, _S.STOPPING, _S.CRASHED}),
    _S.MEASURING: frozenset({_S.READY, _S.STOPPING, _S.CRASHED}),
    _S.STOPPING: frozenset({_S.STOPPED}),
    _S.CRASHED: frozenset({_S.STARTING, _S.STOPPED}),
}

ALIVE = frozenset({_S.STARTING, _S.LOADING, _S.READY, _S.MEASURING, _S.STOPPING})
"""States in which a process may exist."""


def step(current: ServerState, to: ServerState) -> ServerState:
    """Return ``to`` if the table allows it.

    Raises:
        BugError: The step is not in the table.
    """
    if to not in ALLOWED[current]:
        raise BugError(f"server state cannot go from {current} to {to}")
    return to
