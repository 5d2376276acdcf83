"""The operating system: folders, child processes that die with us, environment, single instance, logging."""
