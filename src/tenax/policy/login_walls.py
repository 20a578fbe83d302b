"""Detects login walls. Several walls in a row without a page in between mean that a domain requires a login.

A site with a link to its login or with a login form on every page is not a wall: it still serves pages. A
login page that other pages link to is a page like any other.
"""

import re
from enum import StrEnum
from typing import Final

from tenax.records.visits import Failed, Fetched, Outcome, Redirected, Skipped, Unchanged

_WORDS: Final = r"log[-_]?[io]n|sign[-_]?[io]n|sso|oauth2?|authenticate|authorize"
# Whole segments of the path only: /blog/login-tips does not match.
_PATH: Final = re.compile(
    rf"/(?:(?:wp|user|account|member|admin)s?[-_]?)?(?:{_WORDS})(?:\.[a-z]{{2,5}})?(?:/|$)|/sessions?/new(?:/|$)",
    re.IGNORECASE,
)
_HOST: Final = re.compile(r"(?:login|logon|signin|sso|auth|accounts?|idp)\.", re.IGNORECASE)


class LoginSign(StrEnum):
    GOOD = "good"  # content was served
    WALL = "wall"  # a login was requested instead of the content
    NOTHING = "nothing"  # neither


def find_login_sign(url: str, outcome: Outcome) -> LoginSign:
    """Decide whether an outcome is a login wall. A wall has the same text at every url; pages with a login in
    their header differ."""
    match outcome:
        case Fetched(is_login_form=False) | Unchanged() | Skipped():
            return LoginSign.GOOD
        case Fetched():
            return LoginSign.NOTHING if is_login(url) else LoginSign.WALL
        case Redirected(to_url=to_url):
            return LoginSign.WALL if is_login(to_url) and not is_login(url) else LoginSign.NOTHING
        case Failed(status=401):
            return LoginSign.WALL
    return LoginSign.NOTHING


def is_login(url: str) -> bool:
    """Whether the url looks like a login page."""
    host, _, path = url.partition("?")[0].partition("://")[2].partition("/")
    return _HOST.match(host) is not None or _PATH.search(f"/{path}") is not None
