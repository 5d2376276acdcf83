"""What to run, in which order, and when to stop."""
