"""Pages are packed and unpacked without a difference, and damage is told."""

import struct
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import orjson
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from tenax.records.pages import PackedPage, PageContent, PageImage, PageLink
from tenax.stores.hot.packing import (
    DAMAGE,
    MAX_CONTENT_BYTES,
    list_targets,
    pack_body,
    pack_page,
    unpack_body,
    unpack_images,
    unpack_links,
    unpack_markdown,
    unpack_text,
)

LINK: PageLink = ("https://a.example/x", "next", "More…", "a")
IMAGE: PageImage = ("https://a.example/x.png", "An ant", "img")
MARK = b"\x01"

strings = st.text(st.characters(exclude_categories=["Cs"]))
link_lists = st.lists(st.tuples(strings, strings, strings, strings))
image_lists = st.lists(st.tuples(strings, strings, strings))


def pack(
    text: str,
    links: list[PageLink] | None = None,
    images: list[PageImage] | None = None,
    markdown: str | None = None,
) -> PackedPage:
    page = PageContent(
        title=None,
        description=None,
        canonical=None,
        language=None,
        charset="utf-8",
        text=text,
        content_hash=1,
        markdown=markdown,
    )
    return pack_page(page, links or [], images or [])


def compress(data: bytes) -> bytes:
    return zstandard.ZstdCompressor().compress(data)


@given(text=strings, links=link_lists, images=image_lists, markdown=st.none() | strings)
def test_a_page_comes_back_as_it_was(
    text: str, links: list[PageLink], images: list[PageImage], markdown: str | None
) -> None:
    page = pack(text, links, images, markdown)
    assert unpack_markdown(page.content) == markdown
    assert unpack_text(page.content) == text
    assert [tuple(link) for link in unpack_links(page.content)] == links
    assert [tuple(image) for image in unpack_images(page.content)] == images
    assert (page.links_count, page.images_count) == (len(links), len(images))


@pytest.mark.parametrize("text", ["", "\n", "\n[]\n[]", "a\n\n", "\0\n\x01", '[["x"]]\n[]\n'])
def test_a_text_may_look_like_the_other_parts(text: str) -> None:
    content = pack(text, [LINK], [IMAGE]).content
    assert unpack_text(content) == text
    assert (unpack_links(content), unpack_images(content)) == ([list(LINK)], [list(IMAGE)])


def test_markdown_does_not_change_what_a_page_is() -> None:
    plain, marked = pack("x"), pack("x", markdown="# x")
    assert (plain.content_hash, plain.text_chars) == (marked.content_hash, marked.text_chars)
    assert unpack_markdown(plain.content) is None
    assert unpack_markdown(pack("x", markdown="").content) == ""


def test_a_missing_part_is_damage() -> None:
    with pytest.raises(DAMAGE):
        unpack_text(b"\x02" + compress(b"a\n[]\n[]"))


def test_half_of_a_surrogate_pair_is_replaced() -> None:
    assert unpack_markdown(pack("", markdown="a\ud800b").content) == "a?b"
    assert unpack_text(pack("a\ud800b").content) == "a?b"


def test_parts_that_were_packed_apart_can_be_read() -> None:
    assert unpack_text(compress("Ants…\n[]\n[]".encode())) == "Ants…\n[]\n[]"
    assert unpack_links(compress(orjson.dumps([LINK]))) == [list(LINK)]
    assert unpack_images(compress(orjson.dumps([IMAGE]))) == [list(IMAGE)]


def test_a_page_leads_to_its_links_and_a_redirect_to_its_target() -> None:
    content = pack("", [LINK]).content
    assert list_targets(None, content) == list_targets(None, compress(orjson.dumps([LINK]))) == (LINK[0],)
    assert list_targets("https://b.example/", None) == ("https://b.example/",)


def claim_size(size: int) -> bytes:
    """A frame whose header claims a content of this size."""
    return struct.pack("<IBQ", zstandard.MAGIC_NUMBER, 0b1110_0000, size) + compress(b"a" * 100)[6:]


DAMAGED = {
    "nothing": b"",
    "only the mark": MARK,
    "no frame": MARK + b"text",
    "cut off": pack("Ants and bees. " * 50, [LINK]).content[:-5],
    "one part": MARK + compress(b"text"),
    "two parts": MARK + compress(b"text\n[]"),
    "too large": MARK + claim_size(MAX_CONTENT_BYTES + 1),
    "too large, packed apart": claim_size(1 << 60),
    "no size": MARK + zstandard.ZstdCompressor(write_content_size=False).compress(b"text\n[]\n[]"),
}


@pytest.mark.parametrize("packed", DAMAGED.values(), ids=list(DAMAGED))
@pytest.mark.parametrize("unpack", [unpack_text, unpack_links, unpack_images])
def test_damage_is_told_and_never_unpacked(unpack: Callable[[bytes], Any], packed: bytes) -> None:
    with pytest.raises(DAMAGE):
        unpack(packed)


def test_links_that_are_no_json_are_damage() -> None:
    with pytest.raises(DAMAGE):
        unpack_links(MARK + compress(b"text\n[[\n[]"))


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_told_as_damage(data: bytes) -> None:
    for packed in (data, MARK + data, MARK + compress(data)):
        try:
            unpack_text(packed)
        except DAMAGE:
            continue


def test_a_body_is_unpacked_up_to_its_size() -> None:
    body = b"<p>Ants and bees</p>" * 100
    assert unpack_body(pack_body(body), len(body)) == body
    with pytest.raises(zstandard.ZstdError):
        unpack_body(pack_body(body), len(body) - 1)


def test_threads_pack_and_unpack_side_by_side() -> None:
    texts = [f"Page {number} about ants. " * (number + 1) for number in range(200)]
    with ThreadPoolExecutor(4) as threads:
        packed = threads.map(lambda text: pack(text, [LINK]).content, texts)
        assert list(threads.map(unpack_text, packed)) == texts


def test_a_small_page_takes_no_more_than_its_parts_apart() -> None:
    links = [(f"https://a.example/articles/{n}", "", f"Article number {n} of ants", "a") for n in range(40)]
    text = "\n".join(link[2] for link in links) + "Ants and bees live in colonies. " * 20
    apart = compress(text.encode()) + compress(orjson.dumps(links))
    assert len(pack(text, links).content) <= len(apart)
