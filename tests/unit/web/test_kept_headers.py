from tenax.web.kept_headers import MAX_CHARS, keep_headers


def test_only_what_is_named_and_was_sent_is_kept() -> None:
    sent = {"server": "nginx", "x-cache": "HIT", "set-cookie": "secret=1"}
    assert keep_headers(sent, ("x-cache", "content-language", "server")) == {
        "x-cache": "HIT",
        "server": "nginx",
    }


def test_deceptive_characters_are_shown_as_escapes() -> None:
    tricks = "a\x00b\x1b[31m\r\x85" + "evil\u202e".encode().decode("latin-1")
    kept = keep_headers({"server": tricks}, ["server"])["server"]
    assert kept.isprintable()
    assert "\\x00" in kept
    assert "\\x1b" in kept


def test_what_is_utf8_is_read_as_such_and_what_is_not_stays() -> None:
    assert keep_headers({"x": "Köln".encode().decode("latin-1")}, ["x"]) == {"x": "Köln"}
    assert keep_headers({"x": "K\xf6ln"}, ["x"]) == {"x": "Köln"}
    direction = "a\u202eb".encode().decode("latin-1")
    assert keep_headers({"x": direction}, ["x"]) == {"x": "a\\u202eb"}


def test_what_is_long_is_cut() -> None:
    for value in ("x" * 60_000, "\x01" * 60_000):
        kept = keep_headers({"x": value}, ["x"])["x"]
        assert len(kept) == MAX_CHARS
        assert kept.endswith("…")
    assert keep_headers({"x": "x" * MAX_CHARS}, ["x"]) == {"x": "x" * MAX_CHARS}
