"""The forms of a page."""

from tenax.web.documents import Document


def has_password_field(document: Document) -> bool:
    return document.tree.css_first("input[type=password]") is not None
