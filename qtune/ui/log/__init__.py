"""The Log page: output of the engine, failures, steps on the ladder."""
