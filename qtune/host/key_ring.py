"""Passwords in the key ring of the operating system, where there is one. The user may be asked to open it."""

from __future__ import annotations

import logging

_SERVICE = "qtune shared history"

_log = logging.getLogger("qtune.host")


def password_of(name: str) -> str | None:
    """The password kept under a name; None where none is, or no key ring."""
    # It looks for all kinds of key rings when it is imported, which takes longer than most commands.
    import keyring  # noqa: PLC0415

    try:
        found: str | None = keyring.get_password(_SERVICE, name)
    except Exception as error:  # noqa: BLE001 - key rings of others raise anything
        _log.info("no key ring could be read: %s", type(error).__name__)
        return None
    return found or None


def keep(name: str, password: str) -> bool:
    """Keep a password, or an empty one to forget it; returns whether the key ring has it now."""
    import keyring  # noqa: PLC0415

    try:
        if not password:
            if keyring.get_password(_SERVICE, name) is not None:
                keyring.delete_password(_SERVICE, name)
            return True
        keyring.set_password(_SERVICE, name, password)
        kept: bool = keyring.get_password(_SERVICE, name) == password
    except Exception as error:  # noqa: BLE001 - key rings of others raise anything
        _log.info("no key ring could be written: %s", type(error).__name__)
        return False
    return kept
