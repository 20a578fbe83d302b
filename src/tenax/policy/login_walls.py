"""Tells pages from login walls. A row of walls without a page between says that a domain wants a login.

A site with a link to its login, or with a form for it on every page, is no wall: it still gives pages. And
the login page itself is a page like others when somebody links to it.
"""

import re
from enum import StrEnum
from typing import Final

from tenax.records.visits import Failed, Fetched, Outcome, Redirected, Skipped, Unchanged

_WORDS: Final = r"log[-_]?[io]n|sign[-_]?[io]n|sso|oauth2?|authenticate|authorize"
# A whole part of the path, so that /blog/login-tips is none of them.
_PATH: Final = re.compile(
    rf"/(?:(?:wp|user|account|member|admin)s?[-_]?)?(?:{_WORDS})(?:\.[a-z]{{2,5}})?(?:/|$)|/sessions?/new(?:/|$)",
    re.IGNORECASE,
)
_HOST: Final = re.compile(r"(?:login|logon|signin|sso|auth|accounts?|idp)\.", re.IGNORECASE)


class LoginSign(StrEnum):
    GOOD = "good"  # something was given
    WALL = "wall"  # a login was asked for instead of what was wanted
    NOTHING = "nothing"  # it says neither


def find_login_sign(url: str, outcome: Outcome) -> LoginSign:
    """A wall says the same at every url; pages with a login in their header differ."""
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
    """The url looks like a place to log in."""
    host, _, path = url.partition("?")[0].partition("://")[2].partition("/")
    return _HOST.match(host) is not None or _PATH.search(f"/{path}") is not None
