"""Applies what users have changed about leased domains, without taking the store's write lock."""

import random
from collections.abc import Sequence

from tenax.clock import Instant
from tenax.crawl.domains.pool import Pool
from tenax.records.domains import DomainRules
from tenax.records.traps import Trap
from tenax.telemetry import log


def apply_rules(pool: Pool, found: Sequence[tuple[int, int, DomainRules]], now: Instant) -> None:
    """`found`: see FrontierStore.list_rules."""
    for domain_id, version, rules in found:
        domain = pool.get(domain_id)
        if domain is not None and domain.lease.version == version and domain.rules != rules:
            log.info("rules_changed", domain=domain.name)
            pool.apply_rules(domain, rules, now, random.random())


def apply_traps(pool: Pool, found: Sequence[tuple[int, int, Trap]]) -> None:
    """`found`: see FrontierStore.list_decided_traps."""
    for domain_id, version, trap in found:
        domain = pool.get(domain_id)
        if domain is None or domain.guard is None or domain.lease.version != version:
            continue
        if domain.guard.apply_decision(trap):
            # It is leased anew, without the rule.
            pool.drain(domain)
