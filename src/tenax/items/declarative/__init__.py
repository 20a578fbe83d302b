"""Parsers without code: a definition in YAML or JSON says where each field of an item is found and of which
type it is. `definition` is its form, `places` finds texts on a page, `numbers`, `prices` and `dates` read them,
`parser` does all of it. Everything takes time linear in the size of the page.
"""
