"""Sentences of the measuring method: verdicts and reasons, gates, diagnosis, searches."""

from __future__ import annotations

from qtune.core.text import QT_TRANSLATE_NOOP, Text

METHOD_TEXTS: dict[str, Text] = {
    # -- the verdict -----------------------------------------------------------------------------------------
    "verdict_better": Text(
        QT_TRANSLATE_NOOP(
            "messages",
            "{arm} is worth it: decode {off} -> {on} tok/s, {ratio_gain} % ({low_gain} to {high_gain} %).",
        ),
    ),
    "verdict_better_by_workload": Text(
        QT_TRANSLATE_NOOP(
            "messages",
            "{arm} is worth it: decode {low_gain} to {high_gain} % against off, depending on the workload.",
        ),
    ),
    "verdict_no_difference": Text(
        QT_TRANSLATE_NOOP(
            "messages", "No difference: nothing measured decodes faster than off beyond doubt, so off stays."
        ),
    ),
    "verdict_only_some": Text(
        QT_TRANSLATE_NOOP(
            "messages", "Not for everything: a gain beyond doubt only for {where}; off stays for mixed use."
        ),
    ),
    "verdict_worse": Text(
        QT_TRANSLATE_NOOP("messages", "Not worth it: even {arm} decodes {loss} % slower than off."),
    ),
    "verdict_finishes_later": Text(
        QT_TRANSLATE_NOOP(
            "messages", "{arm} decodes {gain} % faster, but this workload finishes {loss} % later."
        ),
    ),
    "verdict_not_comparable": Text(
        QT_TRANSLATE_NOOP("messages", "Not comparable: the answers differ too much in length."),
        QT_TRANSLATE_NOOP("messages", "Use the same answer length in every arm."),
    ),
    "selftest_passed": Text(
        QT_TRANSLATE_NOOP(
            "messages", "Off against off: no difference ({low_gain} to {high_gain} %), as it must be."
        ),
    ),
    "selftest_failed": Text(
        QT_TRANSLATE_NOOP(
            "messages",
            "Off against off came out {decision} ({ratio_gain} %): this machine is too restless.",
        ),
        QT_TRANSLATE_NOOP("messages", "Close other programs, let the machine cool down, and try again."),
    ),
    "reason_tie_simpler": Text(
        QT_TRANSLATE_NOOP("messages", "{arm} and {other} are tied; the simpler one wins."),
    ),
    "reason_ttft_later": Text(
        QT_TRANSLATE_NOOP("messages", "{arm}: time to the first token {ratio_gain} % against off."),
    ),
    "reason_prefill_slower": Text(
        QT_TRANSLATE_NOOP("messages", "{arm}: the prompt is read {loss} % slower."),
    ),
    "reason_total_later": Text(
        QT_TRANSLATE_NOOP("messages", "{arm}: the whole request takes {loss} % longer at these lengths."),
    ),
    "reason_break_even": Text(
        QT_TRANSLATE_NOOP(
            "messages", "{arm}: finishes earlier only with answers of more than about {tokens} tokens."
        ),
    ),
    "reason_gain_and_loss": Text(
        QT_TRANSLATE_NOOP("messages", "{arm}: {gain_gain} % on {gain_on}, but {loss_gain} % on {loss_on}."),
    ),
    "reason_too_few": Text(
        QT_TRANSLATE_NOOP(
            "messages",
            "{arm}: too few pairs for an interval ({pairs}); seen were {low_gain} to {high_gain} %.",
        ),
    ),
    "reason_restless": Text(
        QT_TRANSLATE_NOOP(
            "messages",
            "{arm}: the gain is less than twice what {base} or {arm} vary from start to start ({cv} %).",
        ),
    ),
    "reason_wide": Text(
        QT_TRANSLATE_NOOP(
            "messages",
            "{arm}: the interval {low_gain} to {high_gain} % is wide; a real difference may hide in it.",
        ),
    ),
    "reason_lengths_apart": Text(
        QT_TRANSLATE_NOOP(
            "messages",
            "{prompt} was left out: {arm} answered with {tokens} tokens, the other with {base_tokens}.",
        ),
    ),
    "reason_arm_failed": Text(
        QT_TRANSLATE_NOOP("messages", "{arm} could not be measured to the end: {reason}"),
    ),
    "reason_arm_missing": Text(
        QT_TRANSLATE_NOOP("messages", "{arm} was not measured."),
    ),
    "reason_few_requests": Text(
        QT_TRANSLATE_NOOP("messages", "{arm}: only {n} requests counted; a verdict wants at least {least}."),
    ),
    "reason_marked": Text(
        QT_TRANSLATE_NOOP("messages", "{arm}: requests that do not count: {n}."),
    ),
    "reason_unverified": Text(
        QT_TRANSLATE_NOOP("messages", "{arm}: the settings in force could not be verified."),
    ),
    "reason_several_changed": Text(
        QT_TRANSLATE_NOOP("messages", "{arm} differs from off in more than MTP: {settings}."),
    ),
    # -- gates of a preset -----------------------------------------------------------------------------------
    "gate_decode_up": Text(
        QT_TRANSLATE_NOOP("messages", "Decode is up beyond noise ({ratio_gain} %)."),
    ),
    "gate_decode_not_up": Text(
        QT_TRANSLATE_NOOP("messages", "Decode is not up beyond noise ({ratio_gain} %)."),
    ),
    "gate_decode_goal": Text(
        QT_TRANSLATE_NOOP("messages", "Decode is up by {gain} %, the goal is {goal} %."),
    ),
    "gate_decode_unknown": Text(
        QT_TRANSLATE_NOOP("messages", "Too little was measured to say whether decode is up."),
    ),
    "gate_ttft": Text(
        QT_TRANSLATE_NOOP("messages", "First token at {ratio}x off; allowed is {allowed}x."),
    ),
    "gate_ttft_unknown": Text(
        QT_TRANSLATE_NOOP("messages", "The first-token time was not compared with off."),
    ),
    "gate_in_a_row": Text(
        QT_TRANSLATE_NOOP("messages", "{n} requests in a row without anomaly."),
    ),
    "gate_anomaly": Text(
        QT_TRANSLATE_NOOP("messages", "Request {number} of {n} in a row: {reason}"),
    ),
    "gate_in_a_row_unknown": Text(
        QT_TRANSLATE_NOOP("messages", "Only {n} requests in a row so far; {wanted} are wanted."),
        QT_TRANSLATE_NOOP("messages", "Run ten in a row."),
    ),
    "gate_degradation": Text(
        QT_TRANSLATE_NOOP(
            "messages", "From {shallow} to {deep} tokens decode changes by {change} %, with off by {off} %."
        ),
    ),
    "gate_degradation_unknown": Text(
        QT_TRANSLATE_NOOP("messages", "The degradation with depth was not measured."),
        QT_TRANSLATE_NOOP("messages", "Run a context sweep."),
    ),
    "gate_format": Text(
        QT_TRANSLATE_NOOP("messages", "Answers that kept their form: {rate} %, with off {off} %."),
    ),
    "gate_format_unknown": Text(
        QT_TRANSLATE_NOOP("messages", "Whether answers keep their form was not measured."),
    ),
    "gate_errors": Text(
        QT_TRANSLATE_NOOP("messages", "Failed requests: {rate} %, with off {off} %."),
    ),
    "gate_errors_unknown": Text(
        QT_TRANSLATE_NOOP("messages", "The rate of failed requests was not measured."),
    ),
    "anomaly_looping": Text(
        QT_TRANSLATE_NOOP("messages", "the answer loops."),
    ),
    "anomaly_empty": Text(
        QT_TRANSLATE_NOOP("messages", "the answer is empty."),
    ),
    # -- presets from measured arms --------------------------------------------------------------------------
    "calibrated": Text(
        QT_TRANSLATE_NOOP("messages", "The fastest measured arm that keeps {keep} MiB free."),
    ),
    "calibrated_none": Text(
        QT_TRANSLATE_NOOP("messages", "No measured arm is faster than off and keeps {keep} MiB free."),
        QT_TRANSLATE_NOOP("messages", "The factory values stay."),
    ),
    "calibrated_prefill_unknown": Text(
        QT_TRANSLATE_NOOP("messages", "{arm}: prefill was not measured."),
    ),
    "calibrated_free_unknown": Text(
        QT_TRANSLATE_NOOP("messages", "{arm}: free memory at a filled context is not known."),
        QT_TRANSLATE_NOOP("messages", "Run a fill test."),
    ),
    "calibrated_unsoaked": Text(
        QT_TRANSLATE_NOOP("messages", "{arm} has not been soaked."),
        QT_TRANSLATE_NOOP("messages", "Run a soak of 20 minutes before relying on it."),
    ),
    # -- diagnosis -------------------------------------------------------------------------------------------
    "diagnosis_first_token": Text(
        QT_TRANSLATE_NOOP(
            "messages", "The bottleneck is the first token: {share} % of a request passes before it."
        ),
        QT_TRANSLATE_NOOP(
            "messages",
            "MTP does not help there. Try a smaller context, a larger ubatch, or a shorter prompt.",
        ),
    ),
    "diagnosis_memory": Text(
        QT_TRANSLATE_NOOP("messages", "The bottleneck is memory: only {free} MiB of the card stay free."),
        QT_TRANSLATE_NOOP(
            "messages", "Try a smaller quantisation or context first; no balanced or aggressive."
        ),
    ),
    "diagnosis_spill": Text(
        QT_TRANSLATE_NOOP("messages", "The bottleneck is memory: the engine spills out of the card."),
        QT_TRANSLATE_NOOP(
            "messages", "Try a smaller quantisation or context first; no balanced or aggressive."
        ),
    ),
    "diagnosis_decode": Text(
        QT_TRANSLATE_NOOP("messages", "The bottleneck is decode: {rate} tok/s, and the card has room."),
        QT_TRANSLATE_NOOP("messages", "Try MTP conservative, then balanced."),
    ),
    "diagnosis_decode_memory_unknown": Text(
        QT_TRANSLATE_NOOP("messages", "The bottleneck is decode: {rate} tok/s; free memory is not known."),
        QT_TRANSLATE_NOOP("messages", "Try MTP conservative, and watch the memory."),
    ),
    "diagnosis_none": Text(
        QT_TRANSLATE_NOOP("messages", "No bottleneck stands out: {rate} tok/s, first token after {ttft} ms."),
    ),
    "diagnosis_unknown": Text(
        QT_TRANSLATE_NOOP("messages", "Too little was measured to name a bottleneck."),
    ),
    "finding_depth": Text(
        QT_TRANSLATE_NOOP(
            "messages", "Good at {shallow} tokens, poor at {deep}: decode changes by {change} %."
        ),
        QT_TRANSLATE_NOOP("messages", "Run a fill test, lower the context, or choose a smaller KV type."),
    ),
    "finding_mtp_inactive": Text(
        QT_TRANSLATE_NOOP("messages", "{arm}: MTP is on but nothing is drafted."),
        QT_TRANSLATE_NOOP(
            "messages", "Look for the reason in the engine log: no head, a failed set-up, or an old build."
        ),
    ),
    "finding_no_change": Text(
        QT_TRANSLATE_NOOP("messages", "{arm}: MTP runs but changes nothing."),
        QT_TRANSLATE_NOOP("messages", "The bottleneck is elsewhere: compare first token and decode."),
    ),
    "finding_slower": Text(
        QT_TRANSLATE_NOOP("messages", "{arm}: slower than off by {loss} % at an acceptance of {rate} %."),
        QT_TRANSLATE_NOOP("messages", "Switch MTP off or lower n_max, and look at each workload."),
    ),
    "finding_head_unusable": Text(
        QT_TRANSLATE_NOOP(
            "messages",
            "{arm}: only {accepted} of {drafted} drafted tokens were accepted; this MTP head is unusable.",
        ),
        QT_TRANSLATE_NOOP("messages", "Switch MTP off, or take another quantisation of the same model."),
    ),
    "finding_few_drafts": Text(
        QT_TRANSLATE_NOOP(
            "messages", "{arm}: only {drafted} tokens were drafted, too few to judge the head."
        ),
    ),
    "finding_suspect_build": Text(
        QT_TRANSLATE_NOOP(
            "messages", "{arm}: only {rate} % of drafts were accepted on code; the build is suspect."
        ),
        QT_TRANSLATE_NOOP("messages", "Update llama.cpp and measure again."),
    ),
    "finding_degenerate": Text(
        QT_TRANSLATE_NOOP(
            "messages",
            "{arm}: tokens per round jumped from {before} to {after}; the answer may loop.",
        ),
        QT_TRANSLATE_NOOP("messages", "Read the answer before believing the speed."),
    ),
    "finding_rounds_collapse": Text(
        QT_TRANSLATE_NOOP(
            "messages",
            "{arm}: rounds per second fell from {before} to {after}: spill or throttling.",
        ),
        QT_TRANSLATE_NOOP("messages", "Look at memory, temperature and power."),
    ),
    "finding_format": Text(
        QT_TRANSLATE_NOOP("messages", "{arm}: {rate} % of answers kept their form, with off {off} %."),
        QT_TRANSLATE_NOOP("messages", "Where the form matters use conservative or off."),
    ),
    # -- drift and looping -----------------------------------------------------------------------------------
    "drift_same": Text(
        QT_TRANSLATE_NOOP("messages", "The answers are the same as with off."),
    ),
    "drift_differs": Text(
        QT_TRANSLATE_NOOP(
            "messages",
            "{count} of {total} answers differ from off; first at character {index}: {off} / {arm}",
        ),
        QT_TRANSLATE_NOOP("messages", "Some drift is rounding; where the exact text matters, use off."),
    ),
    "mark_looping": Text(
        QT_TRANSLATE_NOOP(
            "messages", "The answer repeats itself ({share} % of it), which inflates acceptance."
        ),
    ),
    # -- search, sweep, soak ---------------------------------------------------------------------------------
    "search_done": Text(
        QT_TRANSLATE_NOOP("messages", "The search is over: no other n_max can beat {n} by 3 %."),
    ),
    "search_budget": Text(
        QT_TRANSLATE_NOOP("messages", "The search is over: its launches are used up; n_max {n} leads."),
    ),
    "search_flat": Text(
        QT_TRANSLATE_NOOP(
            "messages",
            "The search is over: the rate is flat from n_max {low} to {high}, so a fixed overhead decides.",
        ),
    ),
    "search_off_leads": Text(
        QT_TRANSLATE_NOOP("messages", "The search is over: no n_max measured is faster than off."),
    ),
    "search_off_failed": Text(
        QT_TRANSLATE_NOOP("messages", "The search cannot go on: off could not be measured."),
    ),
    "search_cliff": Text(
        QT_TRANSLATE_NOOP(
            "messages",
            "n_max {n} and above are ruled out: the speed collapses to {rate} tok/s, "
            "most likely for want of memory.",
        ),
    ),
    "search_arm_failed": Text(
        QT_TRANSLATE_NOOP("messages", "n_max {n} and above are ruled out: it could not be measured."),
    ),
    "degradation_row": Text(
        QT_TRANSLATE_NOOP(
            "messages",
            "{arm}: from {shallow} to {deep} tokens decode changes by {decode} %, first token by {ttft} %.",
        ),
    ),
    "soak_passed": Text(
        QT_TRANSLATE_NOOP(
            "messages", "The soak held: the last five requests ran at {share} % of the first five."
        ),
    ),
    "soak_slower": Text(
        QT_TRANSLATE_NOOP(
            "messages", "The soak failed: the last five requests ran at {share} % of the first five."
        ),
        QT_TRANSLATE_NOOP("messages", "Look at temperature, power limit and memory."),
    ),
    "soak_memory": Text(
        QT_TRANSLATE_NOOP("messages", "The soak failed: memory grew by {grown} MiB."),
        QT_TRANSLATE_NOOP(
            "messages", "Something leaks; restart the server from time to time or switch MTP off."
        ),
    ),
    "soak_memory_unknown": Text(
        QT_TRANSLATE_NOOP("messages", "Whether memory grew is not known: there is no reading of it."),
    ),
    "soak_empty": Text(
        QT_TRANSLATE_NOOP("messages", "The soak failed: empty answers: {count}."),
    ),
    "soak_errors": Text(
        QT_TRANSLATE_NOOP("messages", "The soak failed: requests that did not end well: {count}."),
    ),
    "soak_short": Text(
        QT_TRANSLATE_NOOP(
            "messages", "The soak was too short: {count} requests, at least {least} are needed."
        ),
    ),
}
