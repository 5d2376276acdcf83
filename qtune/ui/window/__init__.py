"""Around the pages: rail, strip, tray, keys, what comes in and goes out, questions."""
