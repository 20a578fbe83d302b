"""Feeds, and the holds that keep crawls away from a domain while one of its feeds is requested."""
