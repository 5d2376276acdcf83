"""The Models page: what was found, what fits."""
