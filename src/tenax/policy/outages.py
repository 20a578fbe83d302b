"""Whose fault it is that nothing came from a site: its own, or that of this machine's network.

An unheard failure (`Failure.is_unheard`) stays unjudged until something shows that the network works. It is
the site's then. Otherwise the references are asked, and if they do not answer either, it never happened.
"""

from collections.abc import Collection, Iterable, Mapping
from enum import StrEnum
from typing import Final

from tenax.clock import Instant
from tenax.config.network import NetworkSettings
from tenax.record import record
from tenax.records.requests import OURS, FailureKind

# Other sites usually answer within this time, so that nobody has to be asked.
GRACE_S: Final = 0.5
LEAST_CHECK_S: Final = 2.0  # between two checks that found the network well
PORTAL_S: Final = 2.0  # unrelated sites redirect to a captive portal within this time
PORTAL_TRIES: Final = 3  # checks of a captive portal without a site that could be asked about it
RECENT_S: Final = 3600.0  # an origin that answered within this time serves as a reference
MOST_ORIGINS: Final = 3  # that are asked in one check
LEAST_ORIGINS: Final = 2  # whose silence says something, if they are suspects themselves
ORIGIN_WAIT_S: Final = (
    60.0  # how long a check waits for the pace of an origin, if there is nobody else to ask
)
# How often a domain without a route is tried while others respond. After that its address counts as
# unreachable from here.
NO_ROUTE_TRIES: Final = 3

_NAME_KINDS: Final = frozenset({FailureKind.DNS, FailureKind.NO_SUCH_HOST})


class Fault(StrEnum):
    """Whose fault an answer is."""

    SITE = "site"  # it counts; so does every proper response
    OURS = "ours"  # as if it had never happened: the url goes back to its queue
    UNJUDGED = "unjudged"  # not known yet: the url stays taken


class NetworkState(StrEnum):
    UP = "up"
    DOWN = "down"
    UNKNOWN = "unknown"  # there is nobody to ask


@record
class Suspect:
    """An answer that may be the network's fault."""

    site: str  # the registrable domain that was asked
    kind: FailureKind | None  # None: a redirect
    ended_at: Instant
    to_site: str | None = None  # of a redirect to a host that has never answered

    @property
    def is_name_failure(self) -> bool:
        return self.kind in _NAME_KINDS

    @property
    def is_ours_anyway(self) -> bool:
        """The request could not be sent: that is no site's fault, whether the network works or not."""
        return self.kind in OURS


@record
class ReferenceAnswers:
    """Whether anybody of each kind answered; None: nobody of this kind was asked, or could tell."""

    names: bool | None = None  # name servers, to a question that they must ask others about
    hosts: bool | None = None  # hosts of the settings, origins that answered lately
    gateway: bool | None = None  # proves the least: it may answer while its own line is down


def is_cleared(suspect: Suspect, *, site: str, started_at: Instant) -> bool:
    """Whether a response of a site to a request that was started then shows that the network has worked
    since."""
    if suspect.is_name_failure:
        return False  # connections to known addresses work without name servers
    return started_at >= suspect.ended_at and site != suspect.site


def plan_check(
    suspects: Collection[Suspect], *, quiet_since: Instant | None, settings: NetworkSettings
) -> Instant | None:
    """When the references are to be asked; None: there is no reason to. `quiet_since`: when a site last
    answered, while requests are in flight."""
    instants = [suspect.ended_at + PORTAL_S for suspect in suspects if suspect.kind is None]
    failures = [suspect for suspect in suspects if suspect.kind is not None]
    if failures:
        first_at = min(suspect.ended_at for suspect in failures)
        is_plain = any(suspect.is_ours_anyway for suspect in failures)
        is_common = len({suspect.site for suspect in failures}) >= settings.sites
        instants.append(first_at if is_plain or is_common else first_at + GRACE_S)
    if quiet_since is not None:
        instants.append(quiet_since + settings.quiet_s)
    return min(instants, default=None)


def judge_references(found: ReferenceAnswers, *, needs_names: bool) -> NetworkState:
    """`needs_names`: hosts are found by asking name servers, so that nothing works without them."""
    if needs_names and found.names is False:
        return NetworkState.DOWN
    if found.names or found.hosts:
        return NetworkState.UP
    if found.hosts is False:
        return NetworkState.DOWN
    if found.gateway is None:
        return NetworkState.UNKNOWN
    return NetworkState.UP if found.gateway else NetworkState.DOWN


def find_portal(suspects: Iterable[Suspect], settings: NetworkSettings) -> str | None:
    """The host's site to which unrelated sites redirect at the same time: a captive portal."""
    sources: dict[str, set[str]] = {}
    for suspect in suspects:
        if suspect.to_site is not None:
            sources.setdefault(suspect.to_site, set()).add(suspect.site)
    return _find_most(sources, settings.sites)


def _find_most(sources: Mapping[str, set[str]], least: int) -> str | None:
    found = max(sources, key=lambda site: len(sources[site]), default=None)
    return found if found is not None and len(sources[found]) >= least else None
