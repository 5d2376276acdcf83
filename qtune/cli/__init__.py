"""The use cases in the terminal."""
