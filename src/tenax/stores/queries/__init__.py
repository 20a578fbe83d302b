"""Read-only lists and reports, one file per noun; the same statements for every database."""
