"""Finds the article of a page: its main text and what the page says about it. Pure: a document comes in,
plain values go out. `reading.find_article` is the door. The libraries behind `main_text` and `language` are
optional; nothing here imports them before they are needed.
"""
