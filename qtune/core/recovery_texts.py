"""Sentences of the way back: causes, rungs, what was done by itself and why."""

from __future__ import annotations

from qtune.core.text import QT_TRANSLATE_NOOP, Text

RECOVERY_TEXTS: dict[str, Text] = {
    # -- what was decided ----------------------------------------------------------------------------------
    "recovery_stopped": Text(
        QT_TRANSLATE_NOOP("messages", "The server was stopped on purpose, so it is not started again.")
    ),
    "recovery_not_curable": Text(
        QT_TRANSLATE_NOOP("messages", "Going down the ladder would not cure this."),
        QT_TRANSLATE_NOOP("messages", "Mend the cause named above, then start again."),
    ),
    "recovery_not_automatic": Text(
        QT_TRANSLATE_NOOP("messages", "Automatic rollback is off, so nothing was started again."),
        QT_TRANSLATE_NOOP("messages", "Roll back one step, or start again as it was."),
    ),
    "recovery_too_often": Text(
        QT_TRANSLATE_NOOP(
            "messages",
            "The server was restarted {count} times within {minutes} minutes; it stays stopped now.",
        ),
        QT_TRANSLATE_NOOP("messages", "Roll back one step yourself, or look at the engine log first."),
    ),
    "recovery_at_foot": Text(
        QT_TRANSLATE_NOOP("messages", "There is no lower rung left to go to."),
        QT_TRANSLATE_NOOP("messages", "Choose a smaller model, or name one as the fallback in the settings."),
    ),
    "recovery_retry": Text(QT_TRANSLATE_NOOP("messages", "The same settings are tried once more.")),
    "recovery_step": Text(QT_TRANSLATE_NOOP("messages", "One step down is taken by itself.")),
    # -- what a rung does ----------------------------------------------------------------------------------
    "rung_n_max": Text(QT_TRANSLATE_NOOP("messages", "Shorter drafts: n_max {before} to {after}.")),
    "rung_draft_types": Text(QT_TRANSLATE_NOOP("messages", "The draft cache as f16 again.")),
    "rung_ubatch": Text(QT_TRANSLATE_NOOP("messages", "Physical batch {before} to {after}.")),
    "rung_mtp_off": Text(QT_TRANSLATE_NOOP("messages", "MTP off.")),
    "rung_context": Text(QT_TRANSLATE_NOOP("messages", "Context {before} to {after} tokens.")),
    "rung_quantisation": Text(QT_TRANSLATE_NOOP("messages", "The smaller file {model}.")),
    "rung_fallback": Text(QT_TRANSLATE_NOOP("messages", "The fallback model {model}.")),
    # -- causes --------------------------------------------------------------------------------------------
    "cause_memory": Text(QT_TRANSLATE_NOOP("messages", "Memory ran out")),
    "cause_mtp_missing": Text(QT_TRANSLATE_NOOP("messages", "MTP is not available")),
    "cause_mtp_fault": Text(QT_TRANSLATE_NOOP("messages", "Drafting failed")),
    "cause_flags": Text(QT_TRANSLATE_NOOP("messages", "The engine refused an option")),
    "cause_port": Text(QT_TRANSLATE_NOOP("messages", "The port is taken")),
    "cause_file": Text(QT_TRANSLATE_NOOP("messages", "The model file cannot be used")),
    "cause_disk": Text(QT_TRANSLATE_NOOP("messages", "The disk cannot be written")),
    "cause_device": Text(QT_TRANSLATE_NOOP("messages", "The engine and this computer do not fit together")),
    "cause_stall": Text(QT_TRANSLATE_NOOP("messages", "The server stopped working on requests")),
    "cause_spill": Text(QT_TRANSLATE_NOOP("messages", "The card spilled into main memory")),
    "cause_killed": Text(QT_TRANSLATE_NOOP("messages", "The engine was killed")),
    "cause_stopped": Text(QT_TRANSLATE_NOOP("messages", "The engine was stopped")),
    "cause_unknown": Text(QT_TRANSLATE_NOOP("messages", "The engine failed for an unknown reason")),
    # -- what the user is told -----------------------------------------------------------------------------
    "rolled_back": Text(
        QT_TRANSLATE_NOOP("messages", "{what} This was turned off or lowered because: {why}"),
        QT_TRANSLATE_NOOP("messages", "Climb back once the cause is mended."),
    ),
    "climbed_back": Text(QT_TRANSLATE_NOOP("messages", "One step up again: {what}")),
    "ladder_at_top": Text(QT_TRANSLATE_NOOP("messages", "What you asked for is already in force.")),
    "ladder_nothing_asked": Text(
        QT_TRANSLATE_NOOP("messages", "Nothing was started yet, so there is nothing to roll back."),
        QT_TRANSLATE_NOOP("messages", "Start a server first."),
    ),
    "rollback_failed": Text(
        QT_TRANSLATE_NOOP("messages", "The lower rung does not run either: {reason}"),
        QT_TRANSLATE_NOOP("messages", "Roll back once more, or choose another model."),
    ),
    "server_stalled": Text(
        QT_TRANSLATE_NOOP(
            "messages", "The server answers that it is well, but made no token for {seconds} s."
        ),
        QT_TRANSLATE_NOOP("messages", "It is stopped by force and started again once."),
    ),
    "trial_cut_off": Text(
        QT_TRANSLATE_NOOP(
            "messages",
            "The app or the computer went down while a server ran ({preset}, context {ctx}); it is not "
            "started again by itself.",
        ),
        QT_TRANSLATE_NOOP("messages", "Start it again, or go one step down if it happens once more."),
    ),
    "server_deaf": Text(
        QT_TRANSLATE_NOOP("messages", "The server still runs, but does not listen on port {port} any more."),
        QT_TRANSLATE_NOOP("messages", "It is stopped by force and started again once."),
    ),
    "trial_not_noted": Text(
        QT_TRANSLATE_NOOP(
            "messages",
            "What is being started could not be noted in {path} ({reason}). It is started all the same; if "
            "it takes the computer down, the next start will not know.",
        ),
        QT_TRANSLATE_NOOP("messages", "Make room on the disk, or make the folder writable."),
    ),
    "ended_mtp_fault": Text(
        QT_TRANSLATE_NOOP("messages", "Drafting failed in the engine: {line}"),
        QT_TRANSLATE_NOOP("messages", "Switch MTP off, or use a newer build."),
    ),
    "request_mtp_fault": Text(
        QT_TRANSLATE_NOOP("messages", "The server could not process its drafts: {reason}"),
        QT_TRANSLATE_NOOP("messages", "Switch MTP off, or use a newer build."),
    ),
    "ended_device": Text(
        QT_TRANSLATE_NOOP("messages", "The engine cannot use the graphics card: {line}"),
        QT_TRANSLATE_NOOP(
            "messages", "Restart the computer after a driver update; check driver and runtime libraries."
        ),
    ),
    "ended_in_order": Text(QT_TRANSLATE_NOOP("messages", "Another program asked the engine to end.")),
    "ended_oom_killed": Text(
        QT_TRANSLATE_NOOP("messages", "The system killed the engine because main memory ran out."),
        QT_TRANSLATE_NOOP(
            "messages", "Close other programs, or choose a smaller context or a smaller quantisation."
        ),
    ),
    "ended_library_missing": Text(
        QT_TRANSLATE_NOOP("messages", "The engine lacks a library that it needs: {line}"),
        QT_TRANSLATE_NOOP(
            "messages", "Unpack the whole archive of the engine; a CUDA build also wants its runtime files."
        ),
    ),
    "ended_illegal_instruction": Text(
        QT_TRANSLATE_NOOP("messages", "The engine was built for another processor ({line})."),
        QT_TRANSLATE_NOOP("messages", "Choose a build of llama-server made for this computer."),
    ),
    "ended_blocked": Text(
        QT_TRANSLATE_NOOP("messages", "The system did not let the engine run ({line})."),
        QT_TRANSLATE_NOOP("messages", "Look whether a virus scanner holds it back, and allow it there."),
    ),
    "ended_unknown_arch": Text(
        QT_TRANSLATE_NOOP("messages", "This build of the engine is too old for the model: {line}"),
        QT_TRANSLATE_NOOP("messages", "Choose a newer build of llama-server, or another model."),
    ),
    "ended_file_missing": Text(
        QT_TRANSLATE_NOOP("messages", "The engine could not open the model file: {line}"),
        QT_TRANSLATE_NOOP("messages", "It may have been moved or renamed, or you may not read it."),
    ),
    "ended_shard_missing": Text(
        QT_TRANSLATE_NOOP("messages", "A part of the split model is missing or out of place: {line}"),
        QT_TRANSLATE_NOOP("messages", "Put all parts into one folder and choose the first of them."),
    ),
    "ended_not_gguf": Text(
        QT_TRANSLATE_NOOP("messages", "The model file is not in GGUF format: {line}"),
        QT_TRANSLATE_NOOP(
            "messages", "Choose a file that ends in .gguf; a download may have saved a web page instead."
        ),
    ),
    "ended_file_cut": Text(
        QT_TRANSLATE_NOOP("messages", "The model file is cut short: {line}"),
        QT_TRANSLATE_NOOP("messages", "The download probably broke off; fetch the file again."),
    ),
    "ended_sidecar": Text(
        QT_TRANSLATE_NOOP("messages", "The file holds only a draft head and cannot run by itself: {line}"),
        QT_TRANSLATE_NOOP("messages", "Choose the main model; a head beside it is found by itself."),
    ),
    "arch_without_mtp": Text(
        QT_TRANSLATE_NOOP(
            "messages", "This engine ({version}) cannot run the MTP head of the architecture {arch}."
        ),
        QT_TRANSLATE_NOOP("messages", "Choose the preset Off, or a newer build of llama-server."),
    ),
    # -- trial and confirm ---------------------------------------------------------------------------------
    "trial_stale": Text(
        QT_TRANSLATE_NOOP(
            "messages",
            "The last attempt ({preset}, context {ctx}) took the app or the computer down; it is not "
            "repeated by itself.",
        ),
        QT_TRANSLATE_NOOP("messages", "Start the last settings that worked, or go one step down."),
    ),
    "known_bad": Text(
        QT_TRANSLATE_NOOP(
            "messages", "These settings failed before with this engine and model ({date}): {reason}"
        ),
        QT_TRANSLATE_NOOP("messages", "Another build of the engine clears the mark."),
    ),
    # What an older version wrote down in English.
    "failed_before": Text("{reason}"),
    "trials_damaged": Text(
        QT_TRANSLATE_NOOP(
            "messages",
            "A list of settings that worked or failed was damaged and has been set aside as {path}.",
        ),
        QT_TRANSLATE_NOOP("messages", "What worked last has to be started once more; nothing else is lost."),
    ),
    "no_last_good": Text(
        QT_TRANSLATE_NOOP("messages", "No settings have been proved to work yet."),
        QT_TRANSLATE_NOOP("messages", "Name a model and a preset to start with."),
    ),
    "no_other_good": Text(
        QT_TRANSLATE_NOOP("messages", "Nothing else has been proved to work yet."),
        QT_TRANSLATE_NOOP("messages", "Go one step down with --roll-back, or name a model and a preset."),
    ),
    "serve_cancelled": Text(QT_TRANSLATE_NOOP("messages", "Stopped before the server was ready.")),
    "safe_mode": Text(
        QT_TRANSLATE_NOOP("messages", "Safe mode: MTP is off, and nothing is started by itself."),
        QT_TRANSLATE_NOOP("messages", "Start qtune without --safe-mode to leave it."),
    ),
}
"""Texts by code; part of ``core.messages.TEXTS``."""
