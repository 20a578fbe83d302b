"""robots.txt: groups, patterns, leniency, hostile files."""

import time

import pytest

from tenax.web.robots import RobotsRules

SITE = "https://example.com"


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


@pytest.mark.parametrize("body", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_files_cost_no_more_than_their_size(body: bytes) -> None:
    started = time.process_time()
    rules = RobotsRules.parse(body)
    rules.allowed(f"{SITE}/{'a' * 1_900}")
    # Ten times what it takes; the exponential or quadratic way would take minutes.
    assert time.process_time() - started < 3
