"""qtune: find out whether multi-token prediction is worth it on this machine, with a way back that works."""

__version__ = "0.1.0"
