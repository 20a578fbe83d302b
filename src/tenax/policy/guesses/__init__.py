"""Guesses at urls that nothing links to: archives, and further pages of lists. Pure."""
