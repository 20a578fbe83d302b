"""The schema of a database: revision, migration, partitions."""
