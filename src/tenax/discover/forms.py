"""What a page asks its reader for."""

from tenax.web.documents import Document


def has_password_field(document: Document, body: bytes) -> bool:
    """There is a field for a password. Looks at the tree only when the word is there: most pages lack it."""
    return b"password" in body and document.tree.css_first("input[type=password]") is not None
