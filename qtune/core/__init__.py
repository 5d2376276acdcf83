"""Values and rules: standard library and numpy only; no I/O, no threads, no Qt."""
