"""One file for each revision, oldest first. A released file is never changed."""
