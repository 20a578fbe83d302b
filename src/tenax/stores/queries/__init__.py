"""Read-only lists and reports, one file per noun. The statements are the same for every database."""
