"""Graphics card and host figures, sampled on one thread."""
