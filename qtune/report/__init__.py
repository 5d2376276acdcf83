"""Results as files for other programs and people; its writers come with the exports."""
