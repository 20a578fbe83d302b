"""Parsers without code: a definition in YAML or JSON says where each field of an item is found and of which
type it is. `definition` is its form, `places` finds values on a page, `values` and its modules read them as
their types, `parser` does all of it. Everything takes time linear in the size of the page.
"""
