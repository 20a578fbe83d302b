"""How many pages of a domain a run fetches."""

from collections.abc import Iterable

from tenax.config.crawl import ScopeKind
from tenax.config.settings import Settings
from tenax.web.urls import domain_of


def lift_domain_cap(settings: Settings, seeds: Iterable[str]) -> Settings:
    """Remove the limit per domain from a crawl of one domain that has a limit of its own: it exists so that
    one of many domains does not use up the whole budget. A limit set by a user stays."""
    limits = settings.limits
    is_capped_by_choice = "pages_per_domain" in limits.model_fields_set
    if limits.max_pages is None or is_capped_by_choice or settings.scope.kind is ScopeKind.ANY:
        return settings
    if len({domain_of(seed) for seed in seeds}) != 1:
        return settings
    return settings.model_copy(update={"limits": limits.model_copy(update={"pages_per_domain": 0})})
