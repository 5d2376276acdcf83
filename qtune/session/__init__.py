"""The use cases: the only place where the rooms below meet. No Qt."""
