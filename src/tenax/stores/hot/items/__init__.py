"""Items as rows: the same for every database. Pure."""
