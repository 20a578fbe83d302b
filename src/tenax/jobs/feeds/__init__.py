"""Feeds of sources: finding them, polling them at their interval, and queueing their new entries."""
