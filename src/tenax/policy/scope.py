"""Which urls belong to a crawl, and the reason why a url does not.

The rules are checked in a fixed order, so that a url always gets the same reason: 1 length, 2 exclude, 3
roots, 4 include, 5 depth. Only length and exclude apply to seeds, because a user named them explicitly.
"""

from typing import Self

from tenax.config.crawl import LimitSettings, ScopeKind, ScopeSettings
from tenax.policy.merging import MergeRules
from tenax.policy.patterns import PatternBudget, Patterns, quote
from tenax.policy.roots import Roots, root_of
from tenax.record import record
from tenax.records.urls import RefusalReason
from tenax.records.visits import Refused

_ANY = ScopeKind.ANY  # see roots.py


@record
class Scope:
    """The scope of a crawl. Build it once; every check is cheap."""

    kind: ScopeKind
    url_length: int
    max_depth: int
    roots: Roots
    include: Patterns | None
    exclude: Patterns | None
    merging: MergeRules | None = None  # None: urls are the same only if their identities are

    @classmethod
    def build(cls, settings: ScopeSettings, limits: LimitSettings, roots: Roots) -> Self:
        """Compile the settings. ConfigError: a pattern or a merge rule is invalid, or there are too many."""
        budget = PatternBudget()
        return cls(
            kind=settings.kind,
            url_length=limits.url_length,
            max_depth=limits.max_depth,
            roots=roots,
            include=Patterns("--include", settings.include, budget) if settings.include else None,
            exclude=Patterns("--exclude", settings.exclude, budget) if settings.exclude else None,
            merging=MergeRules.build(settings.merge_rules, budget) if settings.merge_rules else None,
        )

    def check(
        self, url: str, depth: int, *, domain: str | None = None, is_seed: bool = False
    ) -> Refused | None:
        """Check a url; None: admitted. `domain`: the url's `domain_of`, for callers that know it. A url whose
        root only the store knows is admitted, too: the caller must look it up before using the result."""
        if len(url) > self.url_length:
            return _refuse_long(len(url), self.url_length)
        if self.exclude is not None and (pattern := self.exclude.find(url)) is not None:
            return Refused(reason=RefusalReason.EXCLUDED, detail=f"matches --exclude {quote(pattern)}")
        if is_seed:
            return None
        if self.kind is not _ANY and self.roots.find(root_of(self.kind, url, domain)) is False:
            return self.roots.outside
        if self.include is not None and self.include.find(url) is None:
            return Refused(reason=RefusalReason.NOT_INCLUDED, detail="matches no --include pattern")
        if depth > self.max_depth:
            return _refuse_deep(depth, self.max_depth)
        return None

    def check_sitemap(self, url: str) -> Refused | None:
        """Check the address of a sitemap; None: admitted. Patterns and depths are about the urls that it
        lists. Roots: see `check`."""
        if len(url) > self.url_length:
            return _refuse_long(len(url), self.url_length)
        if self.exclude is not None and (pattern := self.exclude.find(url)) is not None:
            return Refused(reason=RefusalReason.EXCLUDED, detail=f"matches --exclude {quote(pattern)}")
        is_outside = self.kind is not _ANY and self.roots.find(root_of(self.kind, url, None)) is False
        return self.roots.outside if is_outside else None


def _refuse_long(length: int, limit: int) -> Refused:
    return Refused(
        reason=RefusalReason.URL_TOO_LONG,
        detail=f"{length} characters long, the limit is {limit}",
    )


def _refuse_deep(depth: int, limit: int) -> Refused:
    links = "link" if depth == 1 else "links"
    return Refused(reason=RefusalReason.TOO_DEEP, detail=f"{depth} {links} deep, the limit is {limit}")
