"""How many pages a run takes of a domain."""

from collections.abc import Iterable

from tenax.config.crawl import ScopeKind
from tenax.config.settings import Settings
from tenax.web.urls import domain_of


def lift_domain_cap(settings: Settings, seeds: Iterable[str]) -> Settings:
    """A crawl of one domain with a limit of its own needs no other: the cap is there so that one of many does
    not take all. A cap that was set by a person stays."""
    limits = settings.limits
    is_capped_by_choice = "pages_per_domain" in limits.model_fields_set
    if limits.max_pages is None or is_capped_by_choice or settings.scope.kind is ScopeKind.ANY:
        return settings
    if len({domain_of(seed) for seed in seeds}) != 1:
        return settings
    return settings.model_copy(update={"limits": limits.model_copy(update={"pages_per_domain": 0})})
