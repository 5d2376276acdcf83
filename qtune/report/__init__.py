"""Results as files for other programs and people, and the way back; described in docs/exports.md."""
