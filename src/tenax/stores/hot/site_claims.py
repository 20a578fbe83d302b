"""Claims where all domains of a site share one pace: what both databases have in common.

Whoever claims so is alone with it, by a mark: two workers could otherwise each take one domain of a site.
"""

from collections.abc import Iterable, Mapping, Sequence

from tenax.clock import Instant

MARK = "site_claims"
LOOKS = 8  # at parts of the queue, until there are enough sites in it that may be asked
LEAST_LOOKED_AT = 64  # domains
# Domains of a site at rest keep their order.
STEP_S = 0.001

# Of a domain that may be claimed: its id, its site, and when it was asked last, 0 for never.
Candidate = tuple[int, str, Instant]


def choose_apart(
    found: Sequence[Candidate], rests: Mapping[str, Instant], limit: int
) -> tuple[list[int], list[tuple[Instant, int]]]:
    """Of each site that may be asked, the domain whose turn it is: the one that was asked longest ago. And
    when those of the others may be tried again: (instant, id)."""
    chosen: dict[str, Candidate] = {}
    later = []
    for place, candidate in enumerate(found):
        domain_id, site, asked_at = candidate
        if site in rests:
            later.append((rests[site] + place * STEP_S, domain_id))
        elif site in chosen:
            chosen[site] = candidate if asked_at < chosen[site][2] else chosen[site]
        elif len(chosen) < limit:
            chosen[site] = candidate
    return [each[0] for each in chosen.values()], later


def find_rests(
    asked: Iterable[tuple[str, Instant]], gap_s: float, now: Instant, since: Instant
) -> dict[str, Instant]:
    """Sites that may not be asked yet, and when they may. `since`: how long earlier requests lie back is not
    known for sure."""
    ends = {site: max(at, since) + gap_s for site, at in asked}
    return {site: end for site, end in ends.items() if end > now}
