"""Where a history is kept when it is not in a file of this computer: the address of a database server."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable
from pathlib import Path

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from qtune.core.errors import KnownError

_SQLITE, _POSTGRES, _DRIVER = "sqlite", "postgresql", "postgresql+psycopg"
_PASSWORD = "password"  # noqa: S105 - the name of an option
_SECRETS = ("sslpassword",)
"""Options that hold secrets and have no other place than the address: it would be shown and stored."""


class Address:
    """The address of a database, and apart from it the password, which is never shown.

    Attributes:
        url: Everything but the password.
        shown: The same as a person reads it; names the database in sentences, settings and the key ring.
        waiting: Name that the files of rows that wait for the database begin with.
        given: The password that came with the address, None for none.
        ask: Where else to look for one, by the name of the address; asked once, by whoever connects first.
    """

    def __init__(self, url: URL, folder: Path, password: str | None = None) -> None:
        """Take an address apart; ``folder`` is one of this computer, for rows that have to wait."""
        query = dict(url.query)
        given = query.pop(_PASSWORD, None)
        self.given = password or url.password or (given if isinstance(given, str) else None)
        self.ask: Callable[[str], str | None] | None = None
        self._password = self.given
        self._looking = threading.Lock()
        self.url = URL.create(_DRIVER, url.username, None, url.host, url.port, url.database, query)
        self.shown = self.url.set(drivername=_POSTGRES).render_as_string()
        name = hashlib.sha256(self.shown.encode(errors="replace")).hexdigest()[:12]
        self.waiting = folder / f"shared-{name}"

    def __str__(self) -> str:
        return self.shown

    def password(self) -> str | None:
        """The password; may wait for the user to open a key ring. None leaves it to the driver's own ways."""
        with self._looking:
            if self._password is None and self.ask is not None:
                self._password = self.ask(self.shown)
                self.ask = None
            return self._password

    def use_password(self, password: str) -> None:
        """Connect with another password from here on."""
        with self._looking:
            self._password, self.ask = password, None

    def without_password(self, text: str) -> str:
        """A text of the driver or the server in which the password, should it be there, is hidden."""
        secret = self._password
        return text.replace(secret, "***") if secret else text


Place = Path | Address
"""A file of this computer, or a database that others may use too."""


def place_of(text: str, folder: Path, password: str | None = None) -> Place:
    """The place that an address names; ``sqlite:///...`` is a file, which needs no password.

    Args:
        text: An address as SQLAlchemy writes them, with or without password.
        folder: Where rows wait that a database cannot take.
        password: Counts before one in the address.

    Raises:
        KnownError: ``history_url_bad`` or ``history_url_kind``. Neither repeats the address, which may hold
            a password.
    """
    try:
        url = make_url(text.strip())
    except (ArgumentError, ValueError):
        raise KnownError("history_url_bad", reason="it cannot be read") from None
    kind = url.get_backend_name()
    if kind == _SQLITE:
        if not url.database or url.database == ":memory:":
            raise KnownError("history_url_bad", reason="it names no file")
        return Path(url.database).expanduser().absolute()
    if kind not in {_POSTGRES, "postgres"}:
        raise KnownError("history_url_kind", kind=kind)
    if "@" in (url.host or "") or "@" in (url.database or ""):
        raise KnownError("history_url_bad", reason="an @ within the name or the password is written %40")
    if any(name in url.query for name in _SECRETS):
        raise KnownError("history_url_bad", reason=f"{', '.join(_SECRETS)} may not stand in it")
    return Address(url, folder, password)
