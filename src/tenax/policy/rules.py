"""Domain rules: what a user sets for a domain overrides the settings of its source or crawl.

robots.txt overrides both, and so do backoffs that a server asks for: see politeness.py.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Final

from tenax.config.crawl import DAY_S, PolitenessSettings
from tenax.config.settings import Settings
from tenax.policy import politeness
from tenax.record import record, replace
from tenax.records.domains import NO_RULES, DomainRules, Pace

FROM_RULE: Final = "domain rule"

# The settings of the same names have no upper limit. These are the limits of what a store can hold.
LONGEST_DELAY_S: Final = DAY_S
MAX_CONCURRENCY: Final = 1000
MAX_PAGES: Final = 2**31 - 1


class RuleName(StrEnum):
    DELAY = "delay_s"
    PER_DOMAIN = "per_domain"
    PAGES = "pages_per_run"
    ACTIVE = "is_active"


# None removes the rule, so that the setting of the source applies again.
RuleChanges = Mapping[RuleName, float | int | bool | None]


@record
class EffectiveLimit:
    """A limit that applies to a domain, and where it comes from."""

    value: float
    source: str


def change_rules(rules: DomainRules, changes: RuleChanges) -> DomainRules:
    """Apply changes; other rules stay."""
    values: dict[str, Any] = {name.value: value for name, value in changes.items()}
    if changes.get(RuleName.ACTIVE, True) is None:
        values[RuleName.ACTIVE.value] = NO_RULES.is_active
    return replace(rules, **values)


def apply_rules(settings: Settings, rules: DomainRules) -> Settings:
    """The settings that apply to the domain."""
    if rules.delay_s is None and rules.per_domain is None and rules.pages_per_run is None:
        return settings
    limits = settings.limits
    if rules.pages_per_run is not None:
        limits = limits.model_copy(update={"pages_per_domain": rules.pages_per_run})
    return settings.model_copy(
        update={"politeness": apply_pace(settings.politeness, rules), "limits": limits}
    )


def apply_pace(settings: PolitenessSettings, rules: DomainRules) -> PolitenessSettings:
    own = {"delay_s": rules.delay_s, "per_domain": rules.per_domain}
    changed = {name: value for name, value in own.items() if value is not None}
    return settings.model_copy(update=changed) if changed else settings


def find_delay(pace: Pace, settings: PolitenessSettings, rules: DomainRules = NO_RULES) -> EffectiveLimit:
    """Find the effective delay. `settings`: those of the source."""
    delay_s, source = politeness.delay_in_force(pace, apply_pace(settings, rules))
    if source == politeness.FROM_SETTING and rules.delay_s is not None:
        source = FROM_RULE
    return EffectiveLimit(value=delay_s, source=source)


def find_concurrency(settings: PolitenessSettings, rules: DomainRules) -> EffectiveLimit:
    if rules.per_domain is not None:
        return EffectiveLimit(value=rules.per_domain, source=FROM_RULE)
    return EffectiveLimit(value=settings.per_domain, source=politeness.FROM_SETTING)


def find_page_limit(settings: Settings, rules: DomainRules) -> EffectiveLimit:
    """Pages per run; 0: no limit."""
    if rules.pages_per_run is not None:
        return EffectiveLimit(value=rules.pages_per_run, source=FROM_RULE)
    return EffectiveLimit(value=settings.limits.pages_per_domain, source=politeness.FROM_SETTING)
