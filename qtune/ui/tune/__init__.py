"""The Tune page: sources, presets, jobs, record, results, the ladder and the first start."""
