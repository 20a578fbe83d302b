from tenax.crawl.reading.messages import (
    ReadRequest,
    ReadResult,
    format_reading,
    format_request,
    parse_answer,
    parse_request,
)
from tenax.crawl.reading.page import read_page
from tenax.extract.profile import ExtractionProfile
from tenax.web.hrefs import Hrefs

PROFILE = ExtractionProfile(markdown=True)


def test_a_reader_is_told_to_write_markdown() -> None:
    request = ReadRequest(
        body=b"", body_bytes=0, url="http://a.example/", headers={}, max_links=1, profile=PROFILE
    )
    assert parse_request(format_request(request)).profile == PROFILE


def test_markdown_comes_back_from_a_reader() -> None:
    read = read_page(
        b"<h1>T</h1>", url="http://a.example/", headers={}, max_links=1, hrefs=Hrefs(), profile=PROFILE
    )
    found = parse_answer(format_reading(read))
    assert isinstance(found, ReadResult)
    assert found.unpack().page.markdown == "# T\n"
