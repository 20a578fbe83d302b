import pytest

from tenax.web.url_patterns import matches


@pytest.mark.parametrize(
    ("pattern", "url"),
    [
        ("/products/*", "https://shop.example/products/7"),
        ("/products/*", "https://shop.example/products/a/b?page=2"),
        ("*", "https://shop.example/"),
        ("/", "https://shop.example/"),
        ("*/p/*.html", "https://shop.example/en/p/7.html"),
        ("/list?page=*", "https://shop.example/list?page=2"),
        ("https://*.example/*", "https://shop.example/x?y=1"),
        ("https://shop.example/a", "https://shop.example/a"),
        ("/a*a", "https://shop.example/aa"),
    ],
)
def test_a_pattern_matches(pattern: str, url: str) -> None:
    assert matches((pattern,), url)


@pytest.mark.parametrize(
    ("pattern", "url"),
    [
        ("/products/*", "https://shop.example/product/7"),
        ("/products", "https://shop.example/products/"),
        ("/list?page=*", "https://shop.example/list"),
        ("http://shop.example/*", "https://shop.example/a"),
        ("/a*a", "https://shop.example/a"),
        ("*/p/*/q/*", "https://shop.example/q/1/p/2"),
    ],
)
def test_a_pattern_does_not_match(pattern: str, url: str) -> None:
    assert not matches((pattern,), url)


def test_no_pattern_matches_every_url_and_none_at_all_matches_none() -> None:
    assert matches((), "https://shop.example/")
    assert not matches(None, "https://shop.example/")


def test_a_pattern_of_many_stars_takes_no_longer() -> None:
    assert not matches(("/" + "*a" * 200 + "b",), "https://shop.example/" + "a" * 10_000)
