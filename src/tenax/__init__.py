"""Tenax: a web crawler that is polite, never loses work, explains itself and is fast."""

__version__ = "0.2.0"
