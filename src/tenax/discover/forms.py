"""What a page asks its reader for."""

from tenax.web.documents import Document


def has_password_field(document: Document) -> bool:
    return document.tree.css_first("input[type=password]") is not None
