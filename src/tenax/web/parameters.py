"""Query parameters without meaning, which track visitors or hold session ids. They are removed from
addresses: otherwise `Disallow: /*?utm_` would forbid a page whose clean address is allowed.
"""

import re

from tenax.web.escapes import tidy_escapes

_TRACKING = frozenset(
    (
        *("ref", "source"),
        *("gclid", "dclid", "gbraid", "wbraid", "gad_source", "_ga", "_gl"),
        *("fbclid", "igshid", "igsh", "msclkid", "yclid", "ttclid", "twclid", "li_fat_id", "epik", "sccid"),
        *("mc_cid", "mc_eid", "mkt_tok", "_hsenc", "_hsmi", "vero_id", "srsltid"),
    )
)
NO_NAMES: frozenset[str] = frozenset()


class _AllNames:
    def __contains__(self, name: object) -> bool:
        return True


ALL_NAMES = _AllNames()
Names = frozenset[str] | _AllNames  # of parameters, in lower case

# Names that are used only for sessions, and names that may be.
_SESSIONS = frozenset(("jsessionid", "phpsessid", "oscsid", "zenid", "cftoken"))
_MEANINGLESS = _TRACKING | _SESSIONS
_MEANINGLESS_PREFIXES = ("utm_", "aspsessionid")
_PERHAPS_SESSION_NAMES = frozenset(("sid", "sessid", "session_id", "sessionid", "session"))
_is_session_value = re.compile(r"(?=[^0-9]*[0-9])(?:[0-9a-fA-F]{16,}|[0-9A-Za-z,_-]{22,})").fullmatch
_PATH_SESSION = "jsessionid"
_SESSION_IN_PATH = re.compile(r";(?:jsessionid|phpsessid|sid)=[^/;]*", re.IGNORECASE)


def drop_meaningless(query: str, keep: Names = NO_NAMES) -> str:
    """Remove them from a query. `keep`: names that have a meaning here and stay."""
    if "&" not in query:
        return "" if is_meaningless(query, keep) else query
    parts = query.split("&")
    kept = [part for part in parts if not is_meaningless(part, keep)]
    return query if len(kept) == len(parts) else "&".join(kept)


def list_meaningless(path: str, query: str) -> list[str]:
    """List the names of those in an address, in the form that `keep` uses."""
    names = [_name_of(part) for part in query.split("&") if is_meaningless(part)]
    if drop_session(path) != path:
        names.append(_PATH_SESSION)
    return list(dict.fromkeys(names))


def is_meaningless(parameter: str, keep: Names = NO_NAMES) -> bool:
    name, _, value = parameter.partition("=")
    if "%" in name:
        name = tidy_escapes(name)
    name = name.lower()
    if name in _MEANINGLESS or name.startswith(_MEANINGLESS_PREFIXES):
        return name not in keep
    return name in _PERHAPS_SESSION_NAMES and name not in keep and _is_session_value(value) is not None


def drop_session(path: str, keep: Names = NO_NAMES) -> str:
    """Remove the session ids that servers append to segments of a path: "/cart;jsessionid=A1"."""
    return path if _PATH_SESSION in keep else _SESSION_IN_PATH.sub("", path)


def _name_of(parameter: str) -> str:
    name = parameter.partition("=")[0]
    return (tidy_escapes(name) if "%" in name else name).lower()
