"""llama-server as a process: find, probe, argv, supervise, outcome; and the bundled engine."""
