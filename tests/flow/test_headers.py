"""Headers of a source in whole crawls: whatever leads elsewhere, they stay behind."""

from pathlib import Path

from tenax.jobs.sources.definition import check_definition, with_headers
from tests.support.hostile import answer, hostile_origin, page
from tests.support.running import build_settings, crawl

KEY = b"X-Api-Key: s3cret\r\n"


def test_headers_do_not_follow_a_redirect_to_another_origin(tmp_path: Path) -> None:
    with hostile_origin(page) as other:
        moving = answer(b"", status="302 Found", headers=b"Location: " + other.url.encode() + b"\r\n")
        with hostile_origin(moving) as mine:
            definition = check_definition(
                {"name": "news", "seeds": [mine.url], "headers": {"X-Api-Key": "s3cret"}}
            )
            fetch = with_headers(build_settings(), definition, definition.headers).fetch
            crawled = crawl(tmp_path, [mine.url], fetch=dict(fetch))
    assert crawled.fate(mine.url) == "redirected"
    assert crawled.fate(other.url) == "fetched"
    assert mine.requests
    assert all(KEY in request for request in mine.requests)
    assert other.requests
    assert not any(b"s3cret" in request for request in other.requests)
    assert not any(b"s3cret" in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
