"""Claims where all domains of a site share one pace: what both databases share.

A worker that claims like this holds a mark, alone: otherwise two workers could each claim one domain of a
site.
"""

from collections.abc import Iterable, Mapping, Sequence

from tenax.clock import Instant

MARK = "site_claims"
LOOKS = 8  # reads of parts of the queue, until they have enough sites that may be requested
LEAST_LOOKED_AT = 64  # domains
# Domains of a resting site keep their order.
STEP_S = 0.001

# A domain that may be claimed: its id, its site, and when it was last requested, 0 for never.
Candidate = tuple[int, str, Instant]


def choose_apart(
    found: Sequence[Candidate], rests: Mapping[str, Instant], limit: int
) -> tuple[list[int], list[tuple[Instant, int]]]:
    """Choose a domain of each site that may be requested: the one that was requested longest ago. And when
    the domains of the other sites may be tried again: (instant, id)."""
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
    """Sites that may not be requested yet, and when they may. `since`: the age of earlier requests is not
    known for sure."""
    ends = {site: max(at, since) + gap_s for site, at in asked}
    return {site: end for site, end in ends.items() if end > now}
