"""What is read: sentences, figures with their units, names, in the language in force."""
