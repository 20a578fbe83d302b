"""Sources: their definitions, files of definitions, changes to them, and the job that each source has."""
