"""Seeds: what both databases share. See contracts/seeds.py."""

from collections.abc import Collection, Iterable

from tenax.clock import Instant
from tenax.config.crawl import ScopeKind
from tenax.policy.roots import host_and_port, list_hosts
from tenax.policy.scoring import DomainFacts, rate
from tenax.records.domains import DomainStatus
from tenax.records.urls import FoundBy, ListedSeed, NewUrl, Priority
from tenax.web.identity import url_key
from tenax.web.urls import domain_of, registrable_domain

Root = tuple[str, str]  # site and host, as in the index of the seeds; host "": any host of the site


def make_seed(url: str) -> NewUrl:
    """The url that a seed adds to the frontier."""
    return NewUrl(
        url=url,
        key=url_key(url),
        domain=domain_of(url),
        depth=0,
        priority=Priority.HIGH,
        is_seed=True,
        found_by=FoundBy.SEED,
    )


def keep_best(seeds: Iterable[ListedSeed]) -> dict[str, int | None]:
    """Each url once, with its best rank."""
    return _keep_best((seed.url, seed.rank) for seed in seeds)


def rank_domains(ranks: dict[str, int | None]) -> dict[str, int | None]:
    """The best rank of each domain, from those of its urls."""
    return _keep_best((domain_of(url), rank) for url, rank in ranks.items())


def _keep_best(ranked: Iterable[tuple[str, int | None]]) -> dict[str, int | None]:
    best: dict[str, int | None] = {}
    for name, rank in ranked:
        known = best.get(name)
        best[name] = rank if known is None else known if rank is None else min(known, rank)
    return best


def rate_seed(rank: int | None, now: Instant) -> tuple[int, int]:
    """Score and tier of a domain if only its home page and its rank are known."""
    score = rate(
        DomainFacts(
            status=DomainStatus.PENDING,
            seed_rank=rank,
            pages_discovered=1,
            pages_crawled=0,
            images_found=0,
            images_stored=0,
            total_errors=0,
            first_seen_at=now,
            last_crawled_at=None,
        ),
        now,
    )
    return score.priority_score, score.tier


def split_roots(url: str) -> tuple[str, str]:
    """Host and site of a seed, as they are stored in its row."""
    return host_and_port(url), registrable_domain(domain_of(url))


def plan_search(kind: ScopeKind, roots: Collection[str]) -> list[tuple[str, Root]]:
    """Each root with the entry of the index that proves it; a domain may have two hosts."""
    match kind:
        case ScopeKind.SITE:
            return [(root, (root, "")) for root in roots]
        case ScopeKind.DOMAIN:
            pairs = [(root, host) for root in roots for host in list_hosts(root)]
        case _:
            pairs = [(root, root) for root in roots]
    return [(root, (registrable_domain(domain_of(f"https://{host}/")), host)) for root, host in pairs]
