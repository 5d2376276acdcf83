"""Sentences about rows of the history that cannot be written for the moment."""

from __future__ import annotations

from qtune.core.text import QT_TRANSLATE_NOOP, Text

HISTORY_TEXTS: dict[str, Text] = {
    "history_pending": Text(
        QT_TRANSLATE_NOOP(
            "messages",
            "The history {path} cannot be written at the moment ({reason}); rows waiting: {count}.",
        ),
        QT_TRANSLATE_NOOP("messages", "They are tried again and nothing is lost; measuring goes on."),
    ),
    "history_caught_up": Text(
        QT_TRANSLATE_NOOP("messages", "The history can be written again; every waiting row is stored.")
    ),
    "history_read_in": Text(
        QT_TRANSLATE_NOOP("messages", "Rows that had waited beside the history and are stored now: {count}.")
    ),
    "history_rows_aside": Text(
        QT_TRANSLATE_NOOP(
            "messages", "Rows that waited beside the history and do not fit it are kept in {path}: {count}."
        ),
        QT_TRANSLATE_NOOP("messages", "The run they belong to is not in this history; nothing was deleted."),
    ),
    "history_check_damage": Text(
        QT_TRANSLATE_NOOP("messages", "The history {path} is damaged: {reason}."),
        QT_TRANSLATE_NOOP("messages", "Restore a copy from the folder of backups."),
    ),
    "history_check_references": Text(
        QT_TRANSLATE_NOOP("messages", "Rows in the table {table} that belong to nothing: {count}."),
        QT_TRANSLATE_NOOP(
            "messages", "Something other than qtune has changed the history; the other rows are sound."
        ),
    ),
    "history_check_revision": Text(
        QT_TRANSLATE_NOOP("messages", "The history has the schema {revision}; this qtune writes {wanted}."),
        QT_TRANSLATE_NOOP("messages", "An older one is brought up to date when it is opened."),
    ),
    "history_check_schema": Text(
        QT_TRANSLATE_NOOP("messages", "The history lacks {what}."),
        QT_TRANSLATE_NOOP("messages", "Restore a copy from the folder of backups."),
    ),
    "history_check_unsummarised": Text(
        QT_TRANSLATE_NOOP("messages", "Runs that are missing in the table of runs: {count}."),
        QT_TRANSLATE_NOOP("messages", "They are whole; the next start of qtune lists them again."),
    ),
    "history_check_outdated": Text(
        QT_TRANSLATE_NOOP("messages", "Runs whose figures are still to be worked out: {count}."),
        QT_TRANSLATE_NOOP("messages", "This goes on by itself while qtune is open and measures nothing."),
    ),
    "history_check_pending": Text(
        QT_TRANSLATE_NOOP("messages", "Rows wait beside the history in {path}."),
        QT_TRANSLATE_NOOP("messages", "The next start of qtune stores them."),
    ),
    "history_missing": Text(QT_TRANSLATE_NOOP("messages", "There is no history at {path}.")),
    "history_backup_failed": Text(
        QT_TRANSLATE_NOOP("messages", "No copy of the history could be written to {path}: {reason}."),
        QT_TRANSLATE_NOOP(
            "messages", "The history itself is untouched; choose another folder or free space."
        ),
    ),
    "history_check_failed": Text(QT_TRANSLATE_NOOP("messages", "The history has faults: {count}.")),
    "history_id_unknown": Text(
        QT_TRANSLATE_NOOP("messages", "No run and no experiment has an id that begins with {given}."),
        QT_TRANSLATE_NOOP(
            "messages", "qtune history list shows the ids; with --deleted those that were deleted too."
        ),
    ),
    "history_id_ambiguous": Text(
        QT_TRANSLATE_NOOP("messages", "Several ids begin with {given}: {ids}."),
        QT_TRANSLATE_NOOP("messages", "Give more of the id."),
    ),
    "history_experiment_empty": Text(
        QT_TRANSLATE_NOOP("messages", "The experiment {given} has no runs, or all of them were deleted."),
        QT_TRANSLATE_NOOP("messages", "qtune history list --deleted shows deleted runs."),
    ),
    "history_empty": Text(
        QT_TRANSLATE_NOOP(
            "messages", "The history has no run for this: none yet, none finished, or all deleted."
        ),
        QT_TRANSLATE_NOOP("messages", "Measure something first, or read in an export."),
    ),
    "history_one_run": Text(
        QT_TRANSLATE_NOOP("messages", "A comparison needs two runs, and only one was named."),
        QT_TRANSLATE_NOOP("messages", "Name another run, or an experiment with several."),
    ),
    "history_cancelled": Text(QT_TRANSLATE_NOOP("messages", "Cancelled.")),
    "history_not_purged": Text(QT_TRANSLATE_NOOP("messages", "Nothing was removed.")),
    "unfair_engine": Text(
        QT_TRANSLATE_NOOP("messages", "These runs used {count} different builds of the engine: {values}."),
        QT_TRANSLATE_NOOP("messages", "A difference may be the engine's and not the settings'."),
    ),
    "unfair_card": Text(
        QT_TRANSLATE_NOOP("messages", "These runs were made on {count} different devices: {values}."),
        QT_TRANSLATE_NOOP("messages", "A difference may be the device's and not the settings'."),
    ),
    "unfair_model": Text(
        QT_TRANSLATE_NOOP("messages", "These runs used {count} different models: {values}."),
        QT_TRANSLATE_NOOP("messages", "Their speeds do not say which settings are better."),
    ),
    "unfair_prompts": Text(
        QT_TRANSLATE_NOOP("messages", "These runs answered {count} different sets of prompts: {values}."),
        QT_TRANSLATE_NOOP("messages", "Speed depends much on the text; compare runs of the same prompts."),
    ),
    "side_empty": Text(QT_TRANSLATE_NOOP("messages", "It has no figures: no request of it counts.")),
    "side_base_empty": Text(
        QT_TRANSLATE_NOOP("messages", "What it is held against has no figures: no request of it counts."),
    ),
    "side_other_texts": Text(
        QT_TRANSLATE_NOOP("messages", "It answered none of the texts of what it is held against."),
    ),
    "side_lengths_apart": Text(
        QT_TRANSLATE_NOOP("messages", "The answers to all texts that both have differ too much in length."),
    ),
    "side_other_starts": Text(
        QT_TRANSLATE_NOOP("messages", "No text was measured in a start that both have."),
    ),
}
