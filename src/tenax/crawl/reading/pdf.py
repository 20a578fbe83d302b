"""From the bytes of a PDF to the page and its links. Called in reader processes only: see extract/pdf.py."""

from collections.abc import Iterable, Mapping

from tenax import failpoints
from tenax.crawl.reading.page import ReadPage
from tenax.extract.pdf import read_pdf
from tenax.extract.pdf_page import extract_pdf_page
from tenax.extract.profile import ExtractionProfile
from tenax.records.pages import PageLink
from tenax.web.hrefs import Hrefs, PageHrefs


def read_pdf_page(
    body: bytes,
    *,
    url: str,
    headers: Mapping[str, str],
    max_links: int,
    hrefs: Hrefs,
    profile: ExtractionProfile,
    most_pages: int,
    least_similar_chars: int | None = None,
) -> ReadPage:
    """`headers`: of the response, with names in lower case. Raises ContentError when the PDF cannot be read
    or has no text."""
    failpoints.reach("read", url)
    pdf = read_pdf(body, most_pages=most_pages, most_links=max_links)
    page = extract_pdf_page(
        pdf,
        url=url,
        robots_tag=headers.get("x-robots-tag"),
        profile=profile,
        least_similar_chars=least_similar_chars,
    )
    return ReadPage(page, _resolve(pdf.links, hrefs.for_page(url)), {}, is_pdf=True)


def _resolve(uris: Iterable[str], place: PageHrefs) -> dict[int, PageLink]:
    found = (place.find(uri) for uri in uris)
    return {key: (url, "", "", "a") for url, key in found if url}
