"""Feeds, and the holds that keep a crawl from asking a domain while its feed is asked."""
