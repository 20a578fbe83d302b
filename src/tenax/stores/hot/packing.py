"""Pages as they are stored: text, links and images compressed together; and back.

A page is packed as soon as it is read, while the processor still has it in its cache, and not when its batch
is written: a waiting page takes a third of the memory, and SQLite's only write lock is held for half the
time.

The content of a page is a mark and a zstd frame with three parts between line breaks: the text, the links and
the images; with another mark, its Markdown as a JSON string is the fourth. JSON has no line breaks, so these
end where the text cannot: they are split off from the end. Pages that were stored before schema 0033 have a
frame for each part, without a mark.
"""

import sys
import threading
from collections.abc import Iterable
from typing import NamedTuple

import orjson
import zstandard

from tenax.errors import StoreDamaged
from tenax.records.pages import PackedPage, PageContent, PageImage, PageLink

# A text is at most what one body decodes to; more than this is damage.
MAX_CONTENT_BYTES = 1 << 30
DAMAGE = (zstandard.ZstdError, ValueError)  # what unpacking raises
_LINK_BYTES = 300  # measured, with the characters of an ordinary url and anchor

_MARK = b"\x01"  # a zstd frame begins with 0x28
MARKDOWN_MARK = b"\x02"
_PARTS = {_MARK: 3, MARKDOWN_MARK: 4}
_TEXT, _LINKS, _IMAGES, _MARKDOWN = range(4)

# Level 1 as zstd uses it for large inputs. In pages below 16 kB it would look for matches of 5 bytes, which
# takes 14 % more CPU and saves 4 % (docs/decisions/0059-packing-pages.md).
_PARAMETERS = zstandard.ZstdCompressionParameters.from_level(1, hash_log=13, min_match=7)

_thread = threading.local()


class PageParts(NamedTuple):
    """What the content of a page consists of."""

    text: bytes
    links: bytes
    images: bytes


def pack_page(page: PageContent, links: Iterable[PageLink], images: Iterable[PageImage] = ()) -> PackedPage:
    return pack_with_parts(page, links, images)[0]


def pack_with_parts(
    page: PageContent, links: Iterable[PageLink], images: Iterable[PageImage] = ()
) -> tuple[PackedPage, PageParts]:
    listed, shown = tuple(links), tuple(images)
    parts = PageParts(page.text.encode("utf-8", "replace"), orjson.dumps(listed), orjson.dumps(shown))
    content: tuple[bytes, ...] = parts
    if page.markdown is not None:
        content = (*parts, orjson.dumps(page.markdown.encode("utf-8", "replace").decode()))
    packed = PackedPage(
        title=page.title,
        description=page.description,
        canonical=page.canonical,
        language=page.language,
        charset=page.charset,
        content=(_MARK if page.markdown is None else MARKDOWN_MARK) + _compress(b"\n".join(content)),
        text_chars=len(page.text),
        content_hash=page.content_hash,
        simhash=page.simhash,
        links_count=len(listed),
        images_count=len(shown),
        # the text, the Markdown and their bytes
        unpacked_bytes=2 * (sys.getsizeof(page.text) + sys.getsizeof(page.markdown))
        + _LINK_BYTES * (len(listed) + len(shown)),
    )
    return packed, parts


def _compress(data: bytes) -> bytes:
    # One compressor per thread.
    compressor = getattr(_thread, "compressor", None)
    if compressor is None:
        compressor = _thread.compressor = zstandard.ZstdCompressor(compression_params=_PARAMETERS)
    compressed: bytes = compressor.compress(data)
    return compressed


def pack_body(body: bytes) -> bytes:
    """The body of an answer that has to wait: packed markup takes a tenth of the memory, for 1 ms per
    megabyte."""
    return _compress(body)


def unpack_body(data: bytes, body_bytes: int) -> bytes:
    return _decompress(data, body_bytes)


def unpack_text(content: bytes) -> str:
    return _unpack(content, _TEXT).decode("utf-8", "replace")


def unpack_links(packed: bytes) -> list[list[str]]:
    """`packed`: the content of a page, or its links as they were stored before."""
    links: list[list[str]] = orjson.loads(_unpack(packed, _LINKS))
    return links


def unpack_images(packed: bytes) -> list[list[str]]:
    """`packed`: the content of a page, or its images as they were stored before."""
    images: list[list[str]] = orjson.loads(_unpack(packed, _IMAGES))
    return images


def unpack_markdown(content: bytes) -> str | None:
    """None: it was not kept."""
    if not content.startswith(MARKDOWN_MARK):
        return None
    markdown: str = orjson.loads(_unpack(content, _MARKDOWN))
    return markdown


def list_targets(redirect_to: str | None, packed_links: bytes | None) -> tuple[str, ...]:
    """The urls that a page or a redirect leads to."""
    targets = [] if packed_links is None else [link[0] for link in unpack_links(packed_links)]
    return tuple(targets) if redirect_to is None else (redirect_to, *targets)


def tell_damage(url_id: int) -> StoreDamaged:
    return StoreDamaged(
        f"What is stored for the url with the id {url_id} is damaged: restore the store from a backup."
    )


def _unpack(packed: bytes, part: int) -> bytes:
    parts = _PARTS.get(packed[: len(_MARK)])
    if parts is None:
        return _decompress(packed, MAX_CONTENT_BYTES)
    content = _decompress(memoryview(packed)[len(_MARK) :], MAX_CONTENT_BYTES)
    found = content.rsplit(b"\n", parts - 1)
    if len(found) != parts:
        raise ValueError("a part of the content is missing")
    return found[part]


def _decompress(data: bytes | memoryview, max_bytes: int) -> bytes:
    # The library allocates what the frame claims, whatever limit it is given.
    if not 0 <= zstandard.frame_content_size(data) <= max_bytes:
        raise zstandard.ZstdError("the content has no size, or is too large")
    # One decompressor per thread: making one takes longer than a small page.
    decompressor = getattr(_thread, "decompressor", None)
    if decompressor is None:
        decompressor = _thread.decompressor = zstandard.ZstdDecompressor()
    unpacked: bytes = decompressor.decompress(data)
    return unpacked
