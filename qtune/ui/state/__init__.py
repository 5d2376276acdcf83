"""What the window knows and can ask for, without anything to look at."""
