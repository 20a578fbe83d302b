"""robots.txt: groups, patterns, leniency, hostile files."""

import pytest

from tenax.web.robots import RobotsMatch, RobotsRules

SITE = "https://example.com"


def allowed(robots: str | bytes, path: str, agent: str = "tenax") -> bool:
    body = robots if isinstance(robots, bytes) else robots.encode()
    return RobotsRules.parse(body).allowed(SITE + path, agent)


def for_all(*lines: str) -> str:
    return "\n".join(("User-agent: *", *lines))


# --- all of it -------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", ["Disallow: /", "Disallow: /*", "Disallow: *"])
def test_a_file_can_forbid_everything(rule: str) -> None:
    assert RobotsRules.parse(for_all(rule).encode()).forbids_all()


@pytest.mark.parametrize(
    "lines",
    [
        (),
        ("Disallow:",),
        ("Disallow: /a",),
        ("Disallow: /$",),
        ("Disallow: /", "Allow: /open"),
        ("Disallow: /*.html",),
    ],
)
def test_a_file_that_leaves_something_does_not_forbid_everything(lines: tuple[str, ...]) -> None:
    assert not RobotsRules.parse(for_all(*lines).encode()).forbids_all()


def test_what_is_forbidden_to_others_is_not_forbidden_to_us() -> None:
    assert not RobotsRules.parse(b"User-agent: other\nDisallow: /").forbids_all()


# --- groups ----------------------------------------------------------------------------------


def test_an_empty_file_allows_everything() -> None:
    assert allowed("", "/a")


def test_rules_before_any_agent_are_ignored() -> None:
    assert allowed("Disallow: /\nUser-agent: other\nDisallow: /", "/a")


def test_the_own_group_replaces_the_general_one() -> None:
    robots = for_all("Disallow: /a", "User-agent: Tenax", "Disallow: /b")
    assert allowed(robots, "/a")
    assert not allowed(robots, "/b")
    assert not allowed(robots, "/a", agent="other")


def test_an_own_group_without_rules_allows_everything() -> None:
    assert allowed(for_all("Disallow: /", "User-agent: tenax"), "/a")


def test_groups_of_the_same_agent_are_one() -> None:
    robots = "User-agent: tenax\nDisallow: /a\nUser-agent: x\nDisallow: /\nUser-agent: TENAX\nDisallow: /b"
    assert not allowed(robots, "/a")
    assert not allowed(robots, "/b")
    assert allowed(robots, "/c")


def test_agents_named_in_a_row_share_their_rules() -> None:
    robots = "User-agent: other\n\nUser-agent: tenax\nDisallow: /"
    assert not allowed(robots, "/a")
    assert not allowed(robots, "/a", agent="other")


@pytest.mark.parametrize("line", ["Sitemap: https://example.com/s.xml", "Crawl-delay: 1", "Foo: bar"])
def test_other_lines_do_not_end_a_run_of_agents(line: str) -> None:
    assert not allowed(f"User-agent: tenax\n{line}\nUser-agent: *\nDisallow: /", "/a")


@pytest.mark.parametrize("name", ["Tenax/1.0", "tenax (a crawler)", "TENAX"])
def test_only_the_product_token_of_an_agent_counts(name: str) -> None:
    assert not allowed(f"User-agent: {name}\nDisallow: /", "/a")


@pytest.mark.parametrize("name", ["tena", "tenaxbot", "my-tenax", ""])
def test_other_names_are_other_agents(name: str) -> None:
    assert allowed(f"User-agent: {name}\nDisallow: /", "/a")


def test_a_star_followed_by_words_still_means_all_agents() -> None:
    assert not allowed("User-agent: * all of you\nDisallow: /", "/a")


# --- patterns --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("/fish", "/fish.html", True),
        ("/fish", "/Fish", False),
        ("/fish/", "/fish", False),
        ("fish", "/fish", False),
        ("/*.php", "/a/b.php?c", True),
        ("/*.php$", "/a.php?b", False),
        ("/*.php$", "/a.php/b.php", True),
        ("/a*b*c", "/a-c-b", False),
        ("/a**c", "/abc", True),
        ("/a*$", "/abc", True),
        ("/a*b$", "/ab", True),
        ("/a*ba$", "/aba", True),
        ("/ab*ba$", "/aba", False),
        ("/a$", "/a", True),
        ("/a$", "/ab", False),
        ("/a$b", "/a$b", True),
        ("/a$$", "/a$", True),
        ("*", "/", True),
        ("*b", "/ab", True),
        ("/?q=", "/?q=1", True),
    ],
)
def test_a_pattern_matches(pattern: str, path: str, matches: bool) -> None:
    assert allowed(for_all(f"Disallow: {pattern}"), path) is not matches


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("/ü", "/%C3%BC"),
        ("/%c3%bc", "/%C3%BC"),
        ("/%7Ejoe/", "/~joe/"),
        ("/a%2A", "/a*"),
        ("/a%24", "/a$"),
        ("/a%2Fb", "/a%2fb"),
    ],
)
def test_spellings_of_an_escape_are_equal(pattern: str, path: str) -> None:
    assert not allowed(for_all(f"Disallow: {pattern}"), path)


def test_an_escaped_slash_is_no_slash() -> None:
    assert allowed(for_all("Disallow: /a/b"), "/a%2Fb")


def test_an_escaped_star_is_no_wildcard() -> None:
    assert allowed(for_all("Disallow: /a%2Ac"), "/abc")


def test_bytes_that_are_no_utf_8_match_their_escapes() -> None:
    assert not allowed(b"User-agent: *\nDisallow: /\xfc", "/%FC")


@pytest.mark.parametrize(
    ("rules", "path", "is_allowed"),
    [
        (("Allow: /a/b", "Disallow: /a"), "/a/b/c", True),
        (("Disallow: /a/b", "Allow: /a"), "/a/b/c", False),
        (("Disallow: /a", "Allow: /a"), "/a", True),
        (("Allow: /a", "Disallow: /*a"), "/a", False),
        (("Allow: /*b", "Disallow: /ab"), "/ab", True),
        (("Disallow: /*b", "Allow: /ab"), "/ab", True),
        (("Disallow: /a*", "Allow: /a"), "/a", False),
        (("Allow: /$", "Disallow: /"), "/", True),
        (("Disallow:", "Allow:"), "/a", True),
    ],
)
def test_the_longest_pattern_decides_and_allow_wins_ties(
    rules: tuple[str, ...], path: str, is_allowed: bool
) -> None:
    assert allowed(for_all(*rules), path) is is_allowed


def test_an_allowed_index_page_allows_its_directory() -> None:
    robots = for_all("Allow: /a/index.html", "Disallow: /")
    assert allowed(robots, "/a/")
    assert not allowed(robots, "/a/b")
    assert not allowed(robots, "/a/index.htm")


def test_robots_txt_itself_is_always_allowed() -> None:
    rules = RobotsRules.disallow_all()
    assert rules.allowed(f"{SITE}/robots.txt")
    assert rules.match(f"{SITE}/robots.txt").is_allowed
    assert not rules.allowed(f"{SITE}/robots.txt.bak")


# --- leniency --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "key",
    ["disallow", "DISALLOW", "dissallow", "dissalow", "disalow", "diasllow", "disallaw", "disallowed"],
)
def test_common_misspellings_of_disallow_count(key: str) -> None:
    assert not allowed(for_all(f"{key}: /"), "/a")


@pytest.mark.parametrize("key", ["useragent", "user agent", "USER-AGENT", "user-agents"])
def test_common_misspellings_of_user_agent_count(key: str) -> None:
    assert not allowed(f"{key}: *\ndisallow: /", "/a")


def test_a_missing_colon_is_forgiven_where_two_words_stand() -> None:
    assert not allowed("user-agent *\ndisallow /", "/a")
    assert allowed("user-agent *\ndisallow / please", "/a")


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
def test_every_kind_of_line_end_counts_once(end: str) -> None:
    match = RobotsRules.parse(f"User-agent: *{end}{end}Disallow: /a".encode()).match(SITE + "/a")
    assert match.line_number == 3


@pytest.mark.parametrize("mark", [b"\xef\xbb\xbf", b"\xef\xbb", b"\xef"])
def test_a_byte_order_mark_is_skipped_even_cut(mark: bytes) -> None:
    assert not allowed(mark + b"User-agent: *\nDisallow: /", "/a")


def test_comments_and_blanks_do_not_belong_to_values() -> None:
    robots = " \tUser-agent :\t* # all\n# Disallow: /b\nDisallow:\t/a #b"
    assert not allowed(robots, "/a")
    assert allowed(robots, "/b")


def test_overlong_lines_are_cut_like_the_reference_cuts_them() -> None:
    start = "Disallow: /"
    kept = "a" * (2083 * 8 - 1 - len(start))
    robots = for_all(start + kept + "b")
    assert not allowed(robots, f"/{kept}c")


# --- reasons, delays, sitemaps ---------------------------------------------------------------


def test_a_match_names_the_rule_its_line_and_the_group() -> None:
    rules = RobotsRules.parse(b"# hello\nUser-agent: *\nDisallow: /private/\nDisallow: /private/\n")
    assert rules.match(f"{SITE}/private/x") == RobotsMatch(
        is_allowed=False, line_number=3, rule="Disallow: /private/", agent="*"
    )
    assert rules.match(f"{SITE}/x") == RobotsMatch(is_allowed=True, agent="*")


def test_a_match_without_any_group_has_no_agent() -> None:
    assert RobotsRules.allow_all().match(f"{SITE}/x") == RobotsMatch(is_allowed=True)


def test_a_match_quotes_the_rule_as_written() -> None:
    rules = RobotsRules.parse("User-agent: tenax\nallow /ü%7e".encode())
    match = rules.match(f"{SITE}/%C3%BC~")
    assert (match.is_allowed, match.rule, match.agent) == (True, "Allow: /ü%7e", "tenax")


def test_disallow_all_disallows_all() -> None:
    assert not RobotsRules.disallow_all().allowed(f"{SITE}/")


@pytest.mark.parametrize(
    ("value", "delay_s"),
    [("10", 10.0), ("0.5", 0.5), (".5", 0.5), ("1.", 1.0), ("0", 0.0), ("5 # five", 5.0)]
    + [(garbage, None) for garbage in ("", "-1", "nan", "inf", "1e9", "1_0", "10s", "٣", "9" * 400)],
)
def test_crawl_delay(value: str, delay_s: float | None) -> None:
    robots = for_all(f"Crawl-delay: {value}", "Disallow: /x")
    assert RobotsRules.parse(robots.encode()).crawl_delay() == delay_s


def test_crawl_delay_is_the_own_groups_and_the_longest() -> None:
    rules = RobotsRules.parse(
        b"User-agent: *\nCrawl-delay: 9\nDisallow:\nUser-agent: tenax\nCrawl-delay: 2\nCrawl-delay: 3"
    )
    assert rules.crawl_delay() == 3.0
    assert rules.crawl_delay("other") == 9.0


def test_a_delay_addressed_to_another_agent_is_not_ours() -> None:
    rules = RobotsRules.parse(b"User-agent: other\nCrawl-delay: 9\n\nUser-agent: *\nDisallow: /x")
    assert rules.crawl_delay() is None
    assert rules.crawl_delay("other") == 9.0


# who: the delay each is told; "me" stands for a name that the file does not mention.
ADDRESSED: dict[str, tuple[str, dict[str, int | None]]] = {
    "before the rules of another": (
        "User-agent: *\nCrawl-delay: 5\n\nUser-agent: slow\nCrawl-delay: 3600\nDisallow: /x",
        {"me": 5, "slow": 3600},
    ),
    "three in a row": (
        "User-agent: a\nCrawl-delay: 1\nUser-agent: b\nCrawl-delay: 2\nUser-agent: *\nCrawl-delay: 3",
        {"a": 1, "b": 2, "me": 3},
    ),
    "to several": (
        "User-agent: a\nUser-agent: b\nCrawl-delay: 7\nUser-agent: *\nDisallow: /x",
        {"a": 7, "b": 7, "me": None},
    ),
    "after the rules": (
        "User-agent: *\nDisallow: /x\nCrawl-delay: 4\nUser-agent: slow\nDisallow: /\nCrawl-delay: 60",
        {"me": 4, "slow": 60},
    ),
    "between the rules": ("User-agent: *\nDisallow: /x\nCrawl-delay: 4\nDisallow: /y", {"me": 4}),
    "after the rules of a joined group": (
        "User-agent: *\nCrawl-delay: 5\nUser-agent: slow\nDisallow: /x\nCrawl-delay: 60",
        {"me": 5, "slow": 60},
    ),
    "twice": ("User-agent: *\nCrawl-delay: 5\nCrawl-delay: 2\nDisallow: /x", {"me": 5}),
    "in a repeated group": (
        "User-agent: *\nCrawl-delay: 5\nUser-agent: slow\nCrawl-delay: 60\nUser-agent: *\nCrawl-delay: 6",
        {"me": 6, "slow": 60},
    ),
    "named again under another": (
        "User-agent: *\nCrawl-delay: 5\nUser-agent: slow\nUser-agent: *\nCrawl-delay: 8\nDisallow: /x",
        {"me": 8, "slow": 8},
    ),
    "unreadable": ("User-agent: *\nCrawl-delay: soon\nUser-agent: slow\nCrawl-delay: 60", {"me": None}),
    "behind a sitemap": (
        "User-agent: *\nSitemap: /s\nUser-agent: slow\nCrawl-delay: 9",
        {"me": 9, "slow": 9},
    ),
    "before any agent": ("Crawl-delay: 9\nUser-agent: *\nDisallow: /x", {"me": None}),
}


@pytest.mark.parametrize("name", ADDRESSED)
def test_a_delay_is_addressed_to_the_agents_named_right_before_it(name: str) -> None:
    robots, delays = ADDRESSED[name]
    rules = RobotsRules.parse(robots.encode())
    assert {agent: rules.crawl_delay(agent) for agent in delays} == delays


def test_a_delay_between_agents_leaves_them_one_group_for_rules() -> None:
    rules = RobotsRules.parse(ADDRESSED["before the rules of another"][0].encode())
    assert not rules.allowed(f"{SITE}/x", "me")
    assert not rules.allowed(f"{SITE}/x", "slow")


@pytest.mark.parametrize("space", ["\xa0", "\u2003", "\u3000", "\ufeff", " \xa0 "])
def test_white_space_of_unicode_around_a_value_is_no_part_of_it(space: str) -> None:
    text = f"User-agent: *\nCrawl-delay:{space}5{space}\nSitemap:{space}https://example.com/s.xml{space}\nSitemap:{space}"
    rules = RobotsRules.parse(text.encode())
    assert (rules.sitemaps, rules.crawl_delay()) == (("https://example.com/s.xml",), 5.0)


def test_a_file_in_latin_1_is_read_too() -> None:
    rules = RobotsRules.parse(
        b"User-agent: *\nCrawl-delay:\xa05\nSitemap:\xa0https://example.com/caf\xe9.xml"
    )
    assert (rules.sitemaps, rules.crawl_delay()) == (("https://example.com/café.xml",), 5.0)


def test_sitemaps_are_listed_once_in_order_wherever_they_stand() -> None:
    rules = RobotsRules.parse(
        b"Sitemap: https://b/\nUser-agent: x\nsite-map: /a\nSITEMAP: https://b/\nSitemap:\n"
    )
    assert rules.sitemaps == ("https://b/", "/a")


# --- hostile files ---------------------------------------------------------------------------


HOSTILE = {
    "garbage": b"a\n" * 256_000,
    "one line": b"Disallow: " + b"*a" * 256_000,
    "nothing but agents": b"User-agent: a\nCrawl-delay: 1\n" * 17_000,
    "agents, then delays": b"".join(b"User-agent: a%s\n" % (b"b" * n) for n in range(600))
    + b"Crawl-delay: 1\n" * 20_000,
    "nested wildcards": b"User-agent: *\nDisallow: /" + b"*a" * 8_000 + b"*b$",
    "many rules": b"User-agent: *\n" + b"".join(b"Disallow: /%x\n" % n for n in range(30_000)),
    "many wildcards": b"User-agent: *\n" + b"".join(b"Disallow: /*%xaab\n" % n for n in range(25_000)),
}


def test_a_file_too_complex_to_check_refuses_and_says_so() -> None:
    rules = RobotsRules.parse(HOSTILE["many wildcards"])
    match = rules.match(f"{SITE}/{'a' * 1_900}")
    assert not match.is_allowed
    assert match.rule is not None
    assert "wildcards" in match.rule
    assert rules.allowed(f"{SITE}/short")
