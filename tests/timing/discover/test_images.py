import time

import pytest

from tenax.discover.images import find_images
from tenax.web.documents import parse_document
from tenax.web.hrefs import Hrefs

HOME = "http://a.example"


@pytest.mark.parametrize(
    "html",
    [
        "<picture>" + "<source srcset='/a 1x'>" * 50_000 + "<img>" * 50_000,
        "<picture>" + "<b></b><img src=#>" * 50_000,
        "<img srcset='" + "/a 1x," * 200_000 + "' src=/b>",
        ("<img srcset='" + "/a 1x," * 1_000 + "'>") * 200,
        "<meta property=og:image content=/a><meta property=og:image:alt content=b>" * 30_000,
    ],
    ids=["sources", "siblings", "one srcset", "srcsets", "previews"],
)
def test_a_page_made_of_images_is_read_in_seconds(html: str) -> None:
    document = parse_document(html.encode(), url=f"{HOME}/", content_type="text/html; charset=utf-8")
    began = time.process_time()
    find_images(document, Hrefs())
    assert time.process_time() - began < 3
