"""What is kept of a page: title, description, text and what it says of itself. Pure.

Extraction may take the tree apart, so links are found first. Nothing here raises on its input.
"""
