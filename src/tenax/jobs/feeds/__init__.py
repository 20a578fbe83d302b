"""Feeds of sources: found, polled at their interval, their new entries queued."""
