"""Which addresses are the same url."""

from tenax.web.identity import identity_of, url_key


def test_the_order_of_repeated_parameters_makes_another_url() -> None:
    assert url_key("http://a/?z=1&z=0&y") == url_key("http://a/?y&z=1&z=0")
    assert url_key("http://a/?z=1&z=0&y") != url_key("http://a/?y&z=0&z=1")


def test_the_brackets_of_a_host_stay() -> None:
    assert identity_of("http://[::1]:8080/a[0]") == "http://[::1]:8080/a%5B0%5D"


def test_url_keys_are_stable_across_releases() -> None:
    assert url_key("https://example.com/") == 5522761390303137003
    assert url_key("https://example.com/?b=%7e&a[]=1") == url_key("https://example.com/?a%5B%5D=1&b=~")
