import pytest

from tenax.discover.images import MAX_ALT, MAX_IMAGES, find_images
from tenax.records.pages import PageImage
from tenax.web.documents import parse_document
from tenax.web.hrefs import Hrefs
from tenax.web.identity import url_key

HOME = "http://a.example"


def images_of(html: str, limit: int = MAX_IMAGES) -> list[PageImage]:
    document = parse_document(html.encode(), url=f"{HOME}/x/", content_type="text/html; charset=utf-8")
    found = find_images(document, Hrefs(), limit)
    assert list(found) == [url_key(image[0]) for image in found.values()]
    return [(url.removeprefix(HOME), alt, kind) for url, alt, kind in found.values()]


def paths_of(html: str, limit: int = MAX_IMAGES) -> list[str]:
    return [image[0] for image in images_of(html, limit)]


def test_an_image_has_url_alt_and_kind() -> None:
    assert images_of("<img src=/a.jpg alt=' A  boat\n'>") == [("/a.jpg", "A boat", "img")]


def test_a_page_without_images_has_none() -> None:
    assert images_of("<meta name=description content=x><p>text") == []


def test_sources_are_relative_to_the_base() -> None:
    assert paths_of("<img src=a.jpg><img src='../b.jpg#x'>") == ["/x/a.jpg", "/b.jpg"]
    assert paths_of("<base href=/deep/er/><img src=a.jpg>") == ["/deep/er/a.jpg"]


@pytest.mark.parametrize(
    "src", ["data:image/gif;base64,R0l", "blob:http://a.example/1", "javascript:x", "http://[", "", " ", "#x"]
)
def test_what_is_not_on_the_web_is_no_image(src: str) -> None:
    assert paths_of(f'<img src="{src}">') == []


def test_an_image_that_is_shown_twice_is_listed_once() -> None:
    assert images_of("<img src=/a.jpg alt=one><img src=/A/../a.jpg alt=two>") == [("/a.jpg", "one", "img")]


def test_the_largest_of_a_srcset_represents_the_image() -> None:
    assert paths_of("<img src=/a.jpg srcset='/a-320.jpg 320w, /a-640.jpg 640w'>") == ["/a-640.jpg"]


def test_a_srcset_of_no_use_leaves_the_src() -> None:
    assert paths_of("<img src=/a.jpg srcset='data:image/gif;base64,R0l 2x'>") == ["/a.jpg"]
    assert paths_of("<img src=/a.jpg srcset='/b.jpg 0w'>") == ["/a.jpg"]


def test_a_lazy_source_is_the_image_and_the_other_a_placeholder() -> None:
    assert paths_of("<img src=/spinner.gif data-src=/a.jpg>") == ["/a.jpg"]
    assert paths_of("<img src=/s.gif srcset='/s.gif 1x' data-srcset='/a.jpg 1x, /b.jpg 2x'>") == ["/b.jpg"]
    assert paths_of("<img src=/a.jpg data-src='blob:x'>") == ["/a.jpg"]


def test_a_picture_is_one_image() -> None:
    html = (
        "<picture><source srcset='/a.avif 640w'> <source srcset='/b.webp 1280w, /c.webp 320w'>"
        "<img src=/d.jpg alt=boat></picture>"
    )
    assert images_of(html) == [("/b.webp", "boat", "picture")]


def test_a_picture_without_sources_is_its_img() -> None:
    assert images_of("<picture><img src=/d.jpg></picture>") == [("/d.jpg", "", "picture")]


def test_sources_belong_to_the_img_that_follows_them() -> None:
    html = "<picture><source srcset='/a.webp 2x'><img src=/a.jpg><img src=/b.jpg></picture><img src=/c.jpg>"
    assert paths_of(html) == ["/a.webp", "/b.jpg", "/c.jpg"]


def test_sources_of_a_video_are_no_images() -> None:
    assert paths_of("<video><source src=/v.mp4 srcset='/v.jpg 1x'><img src=/a.jpg></video>") == ["/a.jpg"]


def test_previews_are_images_with_their_alt() -> None:
    html = (
        '<meta property="og:image" content="/og.jpg"><meta property="og:image:width" content="9">'
        '<meta property="og:image:alt" content="A  card"><meta name="twitter:image" content="/tw.jpg">'
        '<meta property="og:image:alt" content="of nothing"><img src=/a.jpg>'
    )
    assert images_of(html) == [
        ("/a.jpg", "", "img"),
        ("/og.jpg", "A card", "og:image"),
        ("/tw.jpg", "", "twitter:image"),
    ]


def test_a_preview_that_is_shown_too_is_listed_as_shown() -> None:
    html = '<meta name="og:image" content="/a.jpg"><img src=/a.jpg alt=boat>'
    assert images_of(html) == [("/a.jpg", "boat", "img")]


def test_an_image_behind_noscript_counts() -> None:
    assert paths_of("<img data-src=/a.jpg><noscript><img src=/a.jpg></noscript>") == ["/a.jpg"]


def test_no_more_than_the_limit_are_taken() -> None:
    html = "".join(f"<img src=/{number}.jpg>" for number in range(5))
    previews = '<meta property="og:image" content="/og.jpg">'
    assert paths_of(previews + html, limit=3) == ["/0.jpg", "/1.jpg", "/2.jpg"]


def test_a_long_alt_is_cut() -> None:
    ((_, alt, _),) = images_of(f"<img src=/a.jpg alt='{'word ' * 10_000}'>")
    assert alt == ("word " * MAX_ALT)[:MAX_ALT].rstrip()
