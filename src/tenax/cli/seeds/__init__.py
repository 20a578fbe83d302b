"""Seeds on the command line: URLs given as arguments, and seed lists imported from files."""
