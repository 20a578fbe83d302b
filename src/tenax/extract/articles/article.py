"""An article as it is found on a page, with dates as the page writes them."""

from tenax.extract.articles.blocks import MainContent
from tenax.record import record


@record
class Facts:
    """What a page says about its article outside of the main text."""

    title: str | None = None
    authors: tuple[str, ...] = ()
    byline: str | None = None  # as it is shown or declared
    published: tuple[str, ...] = ()  # candidates, the most trusted first
    modified: tuple[str, ...] = ()
    description: str | None = None
    lead_image: str | None = None
    section: str | None = None
    tags: tuple[str, ...] = ()
    site: str | None = None
    language: str | None = None
    body: str | None = None  # the text that JSON-LD gives
    is_declared: bool = False  # the page says that it is an article
    is_list: bool = False  # the page says that it is something else, such as a list


@record
class FoundArticle:
    facts: Facts
    main: MainContent
