"""Pages as they are extracted and as stores keep them."""

from enum import StrEnum

from tenax.record import record


class ChangeKind(StrEnum):
    """What a visit can find out about a page."""

    NEW = "new"  # it was not there before, or is there again
    CHANGED = "changed"  # its text is another one
    GONE = "gone"  # there is no page any more: missing, redirected, no HTML, or not to be kept


# A link of a page: url, rel, anchor, tag (a, area, link or meta). A plain tuple goes to the store as it is.
PageLink = tuple[str, str, str, str]
# An image of a page: url, alt, kind (img, picture, og:image or twitter:image).
PageImage = tuple[str, str, str]


@record
class PageContent:
    """What is kept of a document."""

    title: str | None
    description: str | None
    canonical: str | None  # an address, None when absent or useless
    language: str | None
    charset: str
    text: str
    content_hash: int  # 64 bits, signed; of the text
    is_noindex: bool = False
    is_nofollow: bool = False


@record
class PackedPage:
    """A page as stores keep it."""

    title: str | None
    description: str | None
    canonical: str | None
    language: str | None
    charset: str
    text: bytes  # zstd of UTF-8
    text_chars: int
    content_hash: int
    links: bytes  # zstd of JSON: [[url, rel, anchor, tag], …]
    links_count: int
    images: bytes | None  # zstd of JSON: [[url, alt, kind], …]; None: it has none
    images_count: int
    unpacked_bytes: int  # what text, links and images took in memory


@record
class NewImage:
    url: str
    key: int
    alt: str


# Where links of a page lead that scope does not admit: domain, one of its urls, how many of them no page has
# named before.
Outside = tuple[str, str, int]
