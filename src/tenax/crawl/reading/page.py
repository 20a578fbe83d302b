"""From the bytes of an answer to the page, its links and its images. Pure; called in a worker, or in another
process (isolation.py).
"""

from collections.abc import Mapping
from typing import NamedTuple

from tenax import failpoints
from tenax.discover.images import find_images
from tenax.discover.links import find_links
from tenax.extract.page import extract_page
from tenax.extract.profile import ExtractionProfile
from tenax.extract.validation import AnswerFacts, Rejection, Validator
from tenax.records.pages import PageContent, PageImage, PageLink
from tenax.web.documents import Document, parse_document
from tenax.web.hrefs import Hrefs
from tenax.web.markup import MEMORY_BYTES


class ReadPage(NamedTuple):
    page: PageContent
    links: dict[int, PageLink]  # by the keys of their urls
    images: dict[int, PageImage]  # by the keys of their urls
    verdict: Rejection | None = None  # it is no page
    is_pdf: bool = False


def read_page(
    body: bytes,
    *,
    url: str,
    headers: Mapping[str, str],
    max_links: int,
    hrefs: Hrefs,
    profile: ExtractionProfile,
    least_similar_chars: int | None = None,
    validator: Validator | None = None,
    memory_bytes: int | None = MEMORY_BYTES,
) -> ReadPage:
    """`headers`: of the response, with names in lower case. Raises ContentError when the document cannot be
    read; see parse_document."""
    failpoints.reach("read", url)
    content_type = headers.get("content-type")
    document = parse_document(body, url=url, content_type=content_type, memory_bytes=memory_bytes)
    return read_document(
        document,
        body,
        headers=headers,
        max_links=max_links,
        hrefs=hrefs,
        profile=profile,
        least_similar_chars=least_similar_chars,
        validator=validator,
    )


def read_document(
    document: Document,
    body: bytes,
    *,
    headers: Mapping[str, str],
    max_links: int,
    hrefs: Hrefs,
    profile: ExtractionProfile,
    least_similar_chars: int | None = None,
    validator: Validator | None = None,
) -> ReadPage:
    """The same for a document that is parsed already."""
    links = find_links(document, max_links, hrefs)
    images = find_images(document, hrefs)
    page = extract_page(
        document,
        robots_tag=headers.get("x-robots-tag"),
        profile=profile,
        keep=hrefs.keep,
        least_similar_chars=least_similar_chars,
        hrefs=hrefs,
    )
    if validator is None:
        return ReadPage(page, links, images)
    answer = AnswerFacts(body=body, headers=headers, links=len(links))
    return ReadPage(page, links, images, validator.validate(answer, document, page, profile))
