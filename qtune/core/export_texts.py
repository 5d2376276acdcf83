"""Sentences about files written for other programs, files read back, and commands that were pasted."""

from __future__ import annotations

from qtune.core.text import QT_TRANSLATE_NOOP, Text

EXPORT_TEXTS: dict[str, Text] = {
    "export_not_written": Text(
        QT_TRANSLATE_NOOP("messages", "{path} could not be written: {reason}."),
        QT_TRANSLATE_NOOP(
            "messages", "What was there before is untouched. Free some space or choose another folder."
        ),
    ),
    "export_no_command": Text(
        QT_TRANSLATE_NOOP("messages", "This run never came as far as a command line."),
        QT_TRANSLATE_NOOP("messages", "Choose a run whose engine was started."),
    ),
    "export_unsayable": Text(
        QT_TRANSLATE_NOOP("messages", "{form} cannot hold {text}."),
        QT_TRANSLATE_NOOP("messages", "Rename the file or folder, or use another form of export."),
    ),
    "import_damaged": Text(
        QT_TRANSLATE_NOOP("messages", "{file} cannot be read in; the fault is at {place}: {reason}."),
        QT_TRANSLATE_NOOP("messages", "Nothing of it was taken. Export it again where it came from."),
    ),
    "import_foreign": Text(
        QT_TRANSLATE_NOOP("messages", "{file} is neither an export of qtune nor a result of llama-bench."),
        QT_TRANSLATE_NOOP(
            "messages", "Choose JSON or JSONL that qtune exported, or JSON, JSONL or CSV of llama-bench."
        ),
    ),
    "import_utf16": Text(
        QT_TRANSLATE_NOOP("messages", "{file} is UTF-16 text, as PowerShell writes it with >."),
        QT_TRANSLATE_NOOP("messages", "Write it anew as UTF-8: | Out-File -Encoding utf8 FILE."),
    ),
    "bench_too_large": Text(
        QT_TRANSLATE_NOOP("messages", "{file} is larger than {most}, the most for results of llama-bench."),
        QT_TRANSLATE_NOOP("messages", "Split it into several files."),
    ),
    "import_empty": Text(
        QT_TRANSLATE_NOOP("messages", "{file} is empty."),
        QT_TRANSLATE_NOOP(
            "messages", "Choose JSON or JSONL that qtune exported, or JSON, JSONL or CSV of llama-bench."
        ),
    ),
    "import_newer": Text(
        QT_TRANSLATE_NOOP("messages", "{file} has the form {schema}, which this qtune does not know yet."),
        QT_TRANSLATE_NOOP("messages", "Read it in with a newer qtune."),
    ),
    "bench_file_damaged": Text(
        QT_TRANSLATE_NOOP(
            "messages",
            "{file} is no result of llama-bench that can be used; the fault is at {place}: {reason}.",
        ),
        QT_TRANSLATE_NOOP("messages", "Write it with llama-bench -o json, -o jsonl or -o csv."),
    ),
    "pasted_nothing": Text(
        QT_TRANSLATE_NOOP("messages", "There is no command in this text."),
        QT_TRANSLATE_NOOP("messages", "Paste the line that starts llama-server."),
    ),
    "pasted_too_long": Text(
        QT_TRANSLATE_NOOP("messages", "This text is too long for a command (more than {limit} characters)."),
        QT_TRANSLATE_NOOP("messages", "Paste only the line that starts llama-server."),
    ),
    "pasted_open_quote": Text(
        QT_TRANSLATE_NOOP("messages", "A quotation in this command is never closed, so it was not read."),
        QT_TRANSLATE_NOOP("messages", "Paste the whole command."),
    ),
    "pasted_other_program": Text(
        QT_TRANSLATE_NOOP("messages", "{program} is not llama-server; only its flags were read."),
    ),
    "pasted_value_missing": Text(
        QT_TRANSLATE_NOOP("messages", "{flag} stands without a value."),
    ),
    "pasted_variable": Text(
        QT_TRANSLATE_NOOP("messages", "{text} holds a variable of the shell, which is not known here."),
        QT_TRANSLATE_NOOP("messages", "Choose the file yourself."),
    ),
    "pasted_context_of_model": Text(
        QT_TRANSLATE_NOOP("messages", "The command leaves the context to the model; here it stays as it is."),
        QT_TRANSLATE_NOOP("messages", "Choose a context length."),
    ),
    "pasted_download": Text(
        QT_TRANSLATE_NOOP("messages", "The command downloads its model ({model}); qtune downloads nothing."),
        QT_TRANSLATE_NOOP("messages", "Choose the file yourself once it is on this computer."),
    ),
    "export_nothing": Text(
        QT_TRANSLATE_NOOP("messages", "There is no run to export."),
        QT_TRANSLATE_NOOP("messages", "Choose one or more runs of the history."),
    ),
    "export_no_winner": Text(
        QT_TRANSLATE_NOOP(
            "messages", "The experiment came to no winner that could be launched; its arms: {arms}."
        ),
        QT_TRANSLATE_NOOP("messages", "Say which with --arm, or name a run."),
    ),
    "export_arm_unknown": Text(
        QT_TRANSLATE_NOOP("messages", "The experiment has no finished run of {arm}; its arms: {arms}."),
        QT_TRANSLATE_NOOP("messages", "Say which with --arm, or name a run."),
    ),
    "export_too_many": Text(
        QT_TRANSLATE_NOOP(
            "messages", "A card or report tells of up to {most} experiments, and more were chosen."
        ),
        QT_TRANSLATE_NOOP("messages", "Choose fewer, or take a table (CSV, Markdown)."),
    ),
    "export_one_run": Text(
        QT_TRANSLATE_NOOP("messages", "This form is made of one run, and {count} were chosen."),
        QT_TRANSLATE_NOOP("messages", "Choose the one that is to be launched."),
    ),
    "import_unreadable": Text(
        QT_TRANSLATE_NOOP("messages", "{path} cannot be read: {reason}."),
        QT_TRANSLATE_NOOP("messages", "Check the name and its permissions."),
    ),
    "import_too_large": Text(
        QT_TRANSLATE_NOOP("messages", "{file} is larger than {most} and was laid out anew."),
        QT_TRANSLATE_NOOP("messages", "Import it as qtune wrote it, or export it as JSON lines."),
    ),
    "bench_imported": Text(
        QT_TRANSLATE_NOOP("messages", "Imported from llama-bench: {test}, {label}, no server and no prompt."),
    ),
    "pdf_no_browser": Text(
        QT_TRANSLATE_NOOP("messages", "A PDF is printed by Chrome, Chromium or Edge, and none was found."),
        QT_TRANSLATE_NOOP(
            "messages", "Export the HTML report, open it in any browser and print it to a file."
        ),
    ),
    "pdf_failed": Text(
        QT_TRANSLATE_NOOP("messages", "{program} printed no PDF: {reason}."),
        QT_TRANSLATE_NOOP(
            "messages", "Export the HTML report, open it in any browser and print it to a file."
        ),
    ),
    "export_needs_file": Text(
        QT_TRANSLATE_NOOP("messages", "This form is no text."),
        QT_TRANSLATE_NOOP("messages", "Name a file to write it to, in the terminal with -o."),
    ),
    "export_running": Text(QT_TRANSLATE_NOOP("messages", "Exporting")),
    "import_running": Text(QT_TRANSLATE_NOOP("messages", "Importing")),
}
