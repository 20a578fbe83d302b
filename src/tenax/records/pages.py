"""Pages as they are extracted and as stores keep them."""

from enum import StrEnum

from tenax.record import record


class ChangeKind(StrEnum):
    """How a page changed since the previous visit."""

    NEW = "new"  # it did not exist before, or exists again
    CHANGED = "changed"  # its text is different
    GONE = "gone"  # there is no page anymore: missing, redirected, of another type, or noindex


# A link of a page: url, rel, anchor, tag (a, area, link or meta). A plain tuple is stored as it is.
PageLink = tuple[str, str, str, str]
# An image of a page: url, alt, kind (img, picture, og:image or twitter:image).
PageImage = tuple[str, str, str]


@record
class PageContent:
    """The parts of a document that are kept."""

    title: str | None
    description: str | None
    canonical: str | None  # an address, None when absent or useless
    language: str | None
    charset: str
    text: str
    content_hash: int  # 64 bits, signed; of the text
    simhash: int | None = None  # the same; None: the text is too short, or is not to be compared
    is_noindex: bool = False
    is_nofollow: bool = False
    markdown: str | None = None  # None: it is not kept


@record
class PackedPage:
    """A page as stores keep it."""

    title: str | None
    description: str | None
    canonical: str | None
    language: str | None
    charset: str
    content: bytes  # text, links, images and Markdown, compressed
    text_chars: int
    content_hash: int
    links_count: int
    images_count: int
    unpacked_bytes: int  # size of text, links and images in memory
    simhash: int | None = None


@record
class NewImage:
    url: str
    key: int
    alt: str


# Links of a page to a domain outside the scope: the domain, one of its urls, and how many of the urls no page
# has linked to before.
Outside = tuple[str, str, int]
