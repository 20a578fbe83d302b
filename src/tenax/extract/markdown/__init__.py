"""Markdown of documents and elements: CommonMark with the tables, task lists and struck text of GitHub. Pure;
nothing here changes a tree or raises because of its input. Time and output are linear in the document's size.

`convert.py` is the way in. `walk.py` visits elements, `elements.py` says what each means, `blocks.py` writes
blocks with their indentation; `phrases.py` and `inline.py` make what is in a block, `tables.py` tables.
"""
