"""Copies a crawl from one store to another, resumable and verified."""
