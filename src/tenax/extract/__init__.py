"""Extracts what is kept of a page: title, description, text and metadata. Pure functions.

Extraction may change the tree, so links are found first. Nothing here raises because of its input.
"""
