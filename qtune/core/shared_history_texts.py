"""Sentences about a history that several computers share, and about its password."""

from __future__ import annotations

from qtune.core.text import QT_TRANSLATE_NOOP, Text

_WAITS = QT_TRANSLATE_NOOP(
    "messages",
    "Measuring goes on: what comes waits on this computer and is stored once the database can be used.",
)

SHARED_HISTORY_TEXTS: dict[str, Text] = {
    "history_url_bad": Text(
        QT_TRANSLATE_NOOP("messages", "That is no address of a database: {reason}."),
        QT_TRANSLATE_NOOP("messages", "One looks like this: postgresql://name@server/database"),
    ),
    "history_url_kind": Text(
        QT_TRANSLATE_NOOP("messages", "A shared history is kept in PostgreSQL, not in {kind}."),
        QT_TRANSLATE_NOOP("messages", "One looks like this: postgresql://name@server/database"),
    ),
    "history_driver_missing": Text(
        QT_TRANSLATE_NOOP("messages", "The driver for PostgreSQL is not installed."),
        QT_TRANSLATE_NOOP("messages", 'Install it with: pip install "qtune[postgres]"'),
    ),
    "history_unreachable": Text(
        QT_TRANSLATE_NOOP("messages", "The shared history {path} cannot be reached: {reason}."), _WAITS
    ),
    "history_refused": Text(
        QT_TRANSLATE_NOOP("messages", "The server of the shared history {path} refuses: {reason}."), _WAITS
    ),
    "history_password_wrong": Text(
        QT_TRANSLATE_NOOP("messages", "The shared history {path} refuses the password."),
        QT_TRANSLATE_NOOP(
            "messages", "Give it under Settings, or with: qtune db use. What is measured waits until then."
        ),
    ),
    "history_password_missing": Text(
        QT_TRANSLATE_NOOP("messages", "The shared history {path} asks for a password, and none is known."),
        QT_TRANSLATE_NOOP(
            "messages", "Give it under Settings, or with: qtune db use. What is measured waits until then."
        ),
    ),
    "history_no_rights": Text(
        QT_TRANSLATE_NOOP("messages", "The role has too few rights in {path}: {reason}."),
        QT_TRANSLATE_NOOP("messages", "docs/shared-history.md says which it needs; nothing was changed."),
    ),
    "history_encoding": Text(
        QT_TRANSLATE_NOOP("messages", "The database {path} stores text as {encoding}, and not as UTF8."),
        QT_TRANSLATE_NOOP("messages", "Make one with: createdb --encoding=UTF8 --template=template0"),
    ),
    "history_shared_foreign": Text(
        QT_TRANSLATE_NOOP("messages", "The database {path} holds tables of another program."),
        QT_TRANSLATE_NOOP("messages", "Give qtune a database of its own; nothing was touched."),
    ),
    "history_shared_empty": Text(
        QT_TRANSLATE_NOOP(
            "messages", "{path} can be used; it is empty, and the first start makes the tables."
        )
    ),
    "history_shared_older": Text(
        QT_TRANSLATE_NOOP(
            "messages", "{path} can be used; an older qtune made it, and it is brought up to date."
        ),
        QT_TRANSLATE_NOOP(
            "messages", "Older versions cannot use it after that: update all computers together."
        ),
    ),
    "history_shared_found": Text(QT_TRANSLATE_NOOP("messages", "{path} can be used; runs in it: {count}.")),
    "history_backup_shared": Text(
        QT_TRANSLATE_NOOP("messages", "{path} is no file that could be copied."),
        QT_TRANSLATE_NOOP(
            "messages",
            "Its server has a tool for that, pg_dump; or export the runs as JSON, which can be read in.",
        ),
    ),
    "history_check_elsewhere": Text(
        QT_TRANSLATE_NOOP("messages", "Rows wait in {path} for a history that is not in use now."),
        QT_TRANSLATE_NOOP("messages", "They are stored when qtune is started with that one again."),
    ),
    "history_file": Text(QT_TRANSLATE_NOOP("messages", "The history is the file {path} of this computer.")),
    "keyring_missing": Text(
        QT_TRANSLATE_NOOP("messages", "This system has no key ring, so the password is kept nowhere."),
        QT_TRANSLATE_NOOP(
            "messages",
            "Give it under Settings after each start, or keep it in QTUNE_HISTORY_PASSWORD or ~/.pgpass.",
        ),
    ),
    "history_place_next": Text(
        QT_TRANSLATE_NOOP("messages", "From the next start of qtune on, the history is in {path}."),
        QT_TRANSLATE_NOOP(
            "messages", "What is in the present one stays there; export and read in what is to move."
        ),
    ),
    "history_place_now": Text(QT_TRANSLATE_NOOP("messages", "The history is in {path}.")),
    "history_place_forced": Text(
        QT_TRANSLATE_NOOP(
            "messages", "QTUNE_HISTORY_URL says where the history is, so this choice has no effect."
        )
    ),
}
