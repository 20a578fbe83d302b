"""Where links and images of a page are packed: in its content, or before schema 0033 in their own columns."""

from typing import Final

from sqlalchemy import case, func, null

from tenax.stores.schema.pages import pages

_IS_IN_CONTENT = func.length(pages.c.links) == 0
PACKED_LINKS: Final = case((_IS_IN_CONTENT, pages.c.content), else_=pages.c.links)
# NULL without images
PACKED_IMAGES: Final = case(
    (pages.c.images_count == 0, null()), (_IS_IN_CONTENT, pages.c.content), else_=pages.c.images
)
