"""Which urls belong to a crawl, and the sentence that says why another does not.

The rules are asked in a fixed order, so that a url always gets the same reason:
1 length, 2 exclude, 3 roots, 4 include, 5 depth. A seed was asked for by name: it answers to
length and exclude only.
"""

from collections.abc import Sequence
from typing import Protocol, Self

import re2

from tenax.config import LimitSettings, ScopeKind, ScopeSettings
from tenax.errors import ConfigError
from tenax.policy.roots import Roots, root_of
from tenax.records import RefusalReason, Refused
from tenax.values import record

_ANY = ScopeKind.ANY  # see roots.py


class _Regex(Protocol):
    def search(self, text: bytes) -> object | None: ...


class _Patterns:
    """The patterns of one option, asked as one."""

    def __init__(self, option: str, patterns: Sequence[str]) -> None:
        self._compiled = [(pattern, _compile(option, pattern)) for pattern in patterns]
        # One search instead of one per pattern: which of them matched is asked only when one did.
        self._any = (
            self._compiled[0][1]
            if len(patterns) == 1
            else _compile(option, "|".join(f"(?:{pattern})" for pattern in patterns))
        )

    def find(self, url: str) -> str | None:
        """The first pattern that matches somewhere in the url."""
        # RE2 works on bytes, and the binding is 1.7 times as fast when it is given them.
        text = url.encode("utf-8", "replace")
        if self._any.search(text) is None:
            return None
        return next((pattern for pattern, regex in self._compiled if regex.search(text)), None)


@record(frozen=True, slots=True, kw_only=True)
class Scope:
    """The rules of one crawl. Build it once; every check is cheap."""

    kind: ScopeKind
    url_length: int
    max_depth: int
    roots: Roots
    include: _Patterns | None
    exclude: _Patterns | None

    @classmethod
    def build(cls, settings: ScopeSettings, limits: LimitSettings, roots: Roots) -> Self:
        """ConfigError: a pattern is bad."""
        return cls(
            kind=settings.kind,
            url_length=limits.url_length,
            max_depth=limits.max_depth,
            roots=roots,
            include=_Patterns("--include", settings.include) if settings.include else None,
            exclude=_Patterns("--exclude", settings.exclude) if settings.exclude else None,
        )

    def check(
        self, url: str, depth: int, *, domain: str | None = None, is_seed: bool = False
    ) -> Refused | None:
        """None: admitted. `domain` is the url's `domain_of`, for callers that know it. A url whose root only
        the store knows is admitted too: whoever acts on it asks first."""
        if len(url) > self.url_length:
            return _refuse_long(len(url), self.url_length)
        if self.exclude is not None and (pattern := self.exclude.find(url)) is not None:
            return Refused(reason=RefusalReason.EXCLUDED, detail=f"matches --exclude {_quote(pattern)}")
        if is_seed:
            return None
        if self.kind is not _ANY and self.roots.find(root_of(self.kind, url, domain)) is False:
            return self.roots.outside
        if self.include is not None and self.include.find(url) is None:
            return Refused(reason=RefusalReason.NOT_INCLUDED, detail="matches no --include pattern")
        if depth > self.max_depth:
            return _refuse_deep(depth, self.max_depth)
        return None


def _refuse_long(length: int, limit: int) -> Refused:
    return Refused(
        reason=RefusalReason.URL_TOO_LONG,
        detail=f"{length} characters long, the limit is {limit}",
    )


def _refuse_deep(depth: int, limit: int) -> Refused:
    links = "link" if depth == 1 else "links"
    return Refused(reason=RefusalReason.TOO_DEEP, detail=f"{depth} {links} deep, the limit is {limit}")


def _compile(option: str, pattern: str) -> _Regex:
    if not pattern:
        raise ConfigError(f"{option} is empty, which would match every URL.")
    options = re2.Options()
    options.log_errors = False
    options.never_capture = True
    try:
        regex: _Regex = re2.compile(pattern, options=options)
        return regex
    except UnicodeEncodeError:
        reason = "it is not valid Unicode"
    except re2.error as error:
        reason = _reason_of(error)
    raise ConfigError(f"{option} {_quote(pattern)} is not a valid RE2 pattern: {reason}.")


def _quote(pattern: str) -> str:
    return f"'{pattern}'"


def _reason_of(error: Exception) -> str:
    reason = error.args[0] if error.args else str(error)
    return reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
