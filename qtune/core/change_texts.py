"""Sentences about what an update of engine, driver or power limit did to the speed, and what is unfair."""

from __future__ import annotations

from qtune.core.text import QT_TRANSLATE_NOOP, Text

_MEASURE_AGAIN = QT_TRANSLATE_NOOP(
    "messages", "Go back to the earlier one if you need the speed; measuring once more makes it surer."
)
_WELCOME = QT_TRANSLATE_NOOP("messages", "Verdicts from before it may have changed, too; compare again.")
_MORE = QT_TRANSLATE_NOOP("messages", "Measure the same once more, and there will be an answer.")

CHANGE_TEXTS: dict[str, Text] = {
    "change_engine_slower": Text(
        QT_TRANSLATE_NOOP(
            "messages",
            "{after} is {percent} % slower than {before} on the same settings: {model}, {low} to {high} %"
            " (95 % interval), runs: {n_before} before, {n_after} now.",
        ),
        _MEASURE_AGAIN,
    ),
    "change_engine_faster": Text(
        QT_TRANSLATE_NOOP(
            "messages",
            "{after} is {percent} % faster than {before} on the same settings: {model}, {low} to {high} %"
            " (95 % interval), runs: {n_before} before, {n_after} now.",
        ),
        _WELCOME,
    ),
    "change_engine_same": Text(
        QT_TRANSLATE_NOOP(
            "messages",
            "{after} is as fast as {before} on the same settings, as far as can be told: {model}, {low} to"
            " {high} % (95 % interval), runs: {n_before} before, {n_after} now.",
        )
    ),
    "change_engine_too_few": Text(
        QT_TRANSLATE_NOOP(
            "messages",
            "Too few runs to say whether {after} is slower or faster than {before}: {model}, runs on the same"
            " settings: {n_before} before, {n_after} now; each needs {least} or more.",
        ),
        _MORE,
    ),
    "change_driver_slower": Text(
        QT_TRANSLATE_NOOP(
            "messages",
            "With the driver {after} the same settings are {percent} % slower than with {before}: {model},"
            " {low} to {high} % (95 % interval), runs: {n_before} before, {n_after} now.",
        ),
        _MEASURE_AGAIN,
    ),
    "change_driver_faster": Text(
        QT_TRANSLATE_NOOP(
            "messages",
            "With the driver {after} the same settings are {percent} % faster than with {before}: {model},"
            " {low} to {high} % (95 % interval), runs: {n_before} before, {n_after} now.",
        ),
        _WELCOME,
    ),
    "change_driver_same": Text(
        QT_TRANSLATE_NOOP(
            "messages",
            "With the driver {after} the same settings are as fast as with {before}, as far as can be told:"
            " {model}, {low} to {high} % (95 % interval), runs: {n_before} before, {n_after} now.",
        )
    ),
    "change_driver_too_few": Text(
        QT_TRANSLATE_NOOP(
            "messages",
            "Too few runs to say whether the driver {after} is slower or faster than {before}: {model}, runs"
            " on the same settings: {n_before} before, {n_after} now; each needs {least} or more.",
        ),
        _MORE,
    ),
    "change_power_slower": Text(
        QT_TRANSLATE_NOOP(
            "messages",
            "At a power limit of {after} the same settings are {percent} % slower than at {before}: {model},"
            " {low} to {high} % (95 % interval), runs: {n_before} before, {n_after} now.",
        ),
        _MEASURE_AGAIN,
    ),
    "change_power_faster": Text(
        QT_TRANSLATE_NOOP(
            "messages",
            "At a power limit of {after} the same settings are {percent} % faster than at {before}: {model},"
            " {low} to {high} % (95 % interval), runs: {n_before} before, {n_after} now.",
        ),
        _WELCOME,
    ),
    "change_power_same": Text(
        QT_TRANSLATE_NOOP(
            "messages",
            "At a power limit of {after} the same settings are as fast as at {before}, as far as can be told:"
            " {model}, {low} to {high} % (95 % interval), runs: {n_before} before, {n_after} now.",
        )
    ),
    "change_power_too_few": Text(
        QT_TRANSLATE_NOOP(
            "messages",
            "Too few runs to say whether a power limit of {after} is slower or faster than {before}: {model},"
            " runs on the same settings: {n_before} before, {n_after} now; each needs {least} or more.",
        ),
        _MORE,
    ),
    "change_also_driver": Text(
        QT_TRANSLATE_NOOP("messages", "The driver changed as well, from {before} to {after}.")
    ),
    "change_also_power": Text(
        QT_TRANSLATE_NOOP("messages", "The power limit changed as well, from {before} to {after}.")
    ),
    "change_also_qtune": Text(
        QT_TRANSLATE_NOOP("messages", "qtune itself changed as well, from {before} to {after}.")
    ),
    "change_also_os": Text(
        QT_TRANSLATE_NOOP("messages", "The system changed as well, from {before} to {after}.")
    ),
    "change_one_sitting": Text(
        QT_TRANSLATE_NOOP(
            "messages",
            "One of the two was measured in one sitting only; a warm card or a busy computer may have a share"
            " in it.",
        )
    ),
    "unfair_sampling": Text(
        QT_TRANSLATE_NOOP("messages", "These runs drew their tokens in {count} different ways: {values}."),
        QT_TRANSLATE_NOOP("messages", "Drafts are accepted more often the colder the sampling is."),
    ),
    "unfair_host": Text(
        QT_TRANSLATE_NOOP(
            "messages", "These runs were made on {count} different computers or systems: {values}."
        ),
        QT_TRANSLATE_NOOP("messages", "A difference may be the computer's and not the settings'."),
    ),
    "unfair_driver": Text(
        QT_TRANSLATE_NOOP("messages", "These runs were made with {count} different drivers: {values}."),
        QT_TRANSLATE_NOOP("messages", "A difference may be the driver's and not the settings'."),
    ),
    "unfair_power": Text(
        QT_TRANSLATE_NOOP("messages", "The card had {count} different power limits: {values}."),
        QT_TRANSLATE_NOOP("messages", "A difference may be the limit's and not the settings'."),
    ),
    "unfair_harness": Text(
        QT_TRANSLATE_NOOP("messages", "These runs were measured by {count} different versions: {values}."),
        QT_TRANSLATE_NOOP("messages", "What is measured is the same; how may differ in small things."),
    ),
    "unfair_imported": Text(
        QT_TRANSLATE_NOOP("messages", "Some of these runs are from llama-bench, others are not."),
        QT_TRANSLATE_NOOP(
            "messages",
            "llama-bench measures without server, sampling and real text; its figures are higher by nature.",
        ),
    ),
}
