"""The priority of a url. It decides the order within a domain, never whether a url is visited.

The check for listings comes before depth: page 2 of a blog is one link from the home page but has no content
of its own. A wrong "low" only delays a url, so only the common forms have patterns.
"""

import re

from tenax.records.urls import Priority

_SHALLOW = 2
_DEEP = 5

# No adjacent unbounded repetitions: linear on any path. Posts under a date (/2024/05/17/title) are content;
# only a path that ends with the date lists an archive.
_LISTING = re.compile(
    r"/(?:"
    r"(?:tags?|category|archives?|author|search/label)(?:/|$)"
    r"|page/[0-9]{1,6}/?$"
    r"|(?:19|20)[0-9]{2}(?:/[0-9]{1,2}){1,2}/?$"
    r")"
)
# WordPress's `p` is a post if it is long and a page of a list if it is short.
_PAGED = re.compile(r"(?:^|&)(?:(?:page|paged|pg|pagenum|offset|start|skip)=[0-9]|p=[0-9]{1,3}(?:&|$))")
_AFTER_SCHEME = len("https://")  # so that a host named "tag" is not taken for a path


def plan_priority(url: str, depth: int, *, is_seed: bool = False) -> Priority:
    """Plan the priority of an address that is `depth` links away from its seed."""
    if is_seed:
        return Priority.HIGH
    path, _, query = url.partition("?")
    if _LISTING.search(path, _AFTER_SCHEME) or (query and _PAGED.search(query)):
        return Priority.LOW
    if depth <= _SHALLOW or _is_home(path, query):
        return Priority.HIGH
    return Priority.LOW if depth > _DEEP else Priority.MEDIUM


def _is_home(path: str, query: str) -> bool:
    return not query and path.endswith("/") and path.count("/") == 3
