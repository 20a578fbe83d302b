"""No document makes structured data slow to read, or too large."""

import time

import pytest

from tenax.errors import ContentError
from tenax.extract.structured import (
    MAX_DEPTH,
    list_values,
    read_json_ld,
    read_metas,
    read_microdata,
)
from tenax.web.documents import parse_document

HEAD = '<script type="application/ld+json">'
PAGES = {
    "nested a million deep": HEAD + "[" * 1_000_000,
    "nested objects": HEAD + '{"a":' * 300_000,
    "escaped quotes": HEAD + '"' + '\\"' * 900_000,
    "commas": HEAD + ", " * 900_000,
    "white space": HEAD + ",[" + " " * 1_900_000,
    "open comments": HEAD + "/* " * 600_000,
    "closed comments": HEAD + "{" + "*/" * 900_000,
    "braces": HEAD + "}  " * 600_000,
    "many values": HEAD + "[" + "[]," * 600_000 + "1]",
    "10 MB": HEAD + '{"a":"' + "x" * 10_000_000 + '"}',
    "many scripts": (HEAD + "{}</script>") * 50_000,
    "items in items": "<div itemscope itemprop=a>" * 900 + "x",
    "texts in texts": "<div itemscope>" + "<div itemprop=a>" * 900 + "<i></i>" * 100_000,
    "long texts in texts": "<div itemscope>" + "<div itemprop=a>" * 900 + "x" * 9_000_000,
    "many properties": "<div itemscope>" + "<i itemprop=a></i>" * 100_000,
    "a property with many names": "<div itemscope><i itemprop='" + "a " * 2_000_000 + "'></i>",
    "many attributes": ("<i itemprop=x itemscope " + " ".join(f"a{n}" for n in range(500)) + "></i>") * 1_000,
    "many metas": "<meta name=a content=b>" * 100_000,
}


@pytest.mark.parametrize("name", PAGES)
def test_no_page_makes_structured_data_slow(name: str) -> None:
    document = parse_document(
        PAGES[name].encode(),
        url="http://a.example/",
        content_type="text/html; charset=utf-8",
        memory_bytes=None,
    )
    started = time.process_time()
    found = [read_json_ld(document), read_microdata(document), read_metas(document)]
    # 0.2 s at most here; what is quadratic would take minutes.
    assert time.process_time() - started < 5
    for _ in range(MAX_DEPTH + 2):
        found = [inner for each in found for inner in list_values(each)]
    assert found == []


def test_a_million_attributes_are_refused_before() -> None:
    html = "<div itemscope " + " ".join(f"a{n}" for n in range(1_000_000)) + ">"
    with pytest.raises(ContentError):
        parse_document(html.encode(), url="http://a.example/", content_type="text/html", memory_bytes=None)
