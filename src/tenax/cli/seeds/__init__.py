"""Seeds on the command line: addresses given as arguments, and seed lists imported from files."""
