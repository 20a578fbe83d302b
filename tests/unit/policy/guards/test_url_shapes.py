"""Shapes: urls that differ in numbers, ids and names share one."""

import pytest

from tenax.policy.guards.url_shapes import is_id, shape_of

SHAPES = {
    "/": "/",
    "/about": "/*",
    "/p/12345": "/p/{n}",
    "/2024/05/17/a-title": "/{n}/{n}/{n}/*",
    "/calendar/2031/05": "/calendar/{n}/{n}",
    "/calendar/2031-05-17/": "/calendar/{n}",
    "/s/3f9a8b7c6d5e/item": "/s/{id}/*",
    "/docs/v1.2/guide/intro": "/docs/v1.2/guide/*",
    "/shop?size=4&color=red": "/shop?color&size",
    "/shop?f[0]=a&f[1]=b": "/shop?f",
    "/a/b/a/b/a/b": "/a/b/{repeated}",
    "/en/docs/en/intro": "/en/docs/en/*",
    "/1/1/1/1": "/{n}/{n}/{n}/{n}",
    "/a/b/c/d/e/f": "/a/b/**",
}


@pytest.mark.parametrize(("path", "name"), SHAPES.items())
def test_a_path_has_its_shape(path: str, name: str) -> None:
    assert shape_of(f"https://a.example{path}").name == name


def test_all_parameters_of_a_path_are_one_family() -> None:
    families = {shape_of(f"https://a.example/shop?{query}").family for query in ("a=1", "b=1&c=2", "d")}
    assert families == {"/shop?*"}


def test_urls_of_a_shape_begin_with_its_prefix() -> None:
    for path in SHAPES:
        url = f"https://a.example{path}"
        assert url.startswith(shape_of(url).prefix)


def test_a_prefix_that_says_nothing_is_wide() -> None:
    assert shape_of("https://a.example/about").is_wide
    assert not shape_of("https://a.example/p/1").is_wide
    assert not shape_of("https://a.example/?p=1").is_wide


@pytest.mark.parametrize("segment", ["3f9a8b7c", "123e4567-e89b-12d3-a456-426614174000", "a1b2c3d4e5f6g7h8"])
def test_generated_ids_are_ids(segment: str) -> None:
    assert is_id(segment)


@pytest.mark.parametrize("segment", ["", "12345678", "facade", "deadbeef", "windows-10-tips-2024", "v1.2"])
def test_numbers_and_words_are_no_ids(segment: str) -> None:
    assert not is_id(segment)
