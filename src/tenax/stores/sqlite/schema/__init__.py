"""The schema of a file: revision, migration, scrubbing."""
