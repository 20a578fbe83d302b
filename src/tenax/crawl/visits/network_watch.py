"""Watches whether this machine's network works, and waits while it does not.

Answers that may be the network's fault are kept here, unjudged and in memory only, until another site answers
or the references do. What is kept when the process dies has never happened.
"""

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Collection
from dataclasses import replace

from tenax.clock import Clock, Instant, format_instant
from tenax.config.network import NetworkSettings
from tenax.crawl.domains.leased_domain import LeasedDomain
from tenax.crawl.domains.pool import Pool
from tenax.fetch.base import Fetcher
from tenax.fetch.references import (
    DNS_PORT,
    HTTPS_PORT,
    Endpoint,
    NetworkVerdict,
    References,
    check,
    parse_endpoints,
)
from tenax.fetch.routes import list_gateways
from tenax.policy import politeness
from tenax.policy.domain_states import RESTING
from tenax.policy.outages import (
    LEAST_CHECK_S,
    LEAST_ORIGINS,
    MOST_ORIGINS,
    ORIGIN_WAIT_S,
    PORTAL_TRIES,
    RECENT_S,
    Fault,
    NetworkState,
    Suspect,
    find_portal,
    is_cleared,
    plan_check,
)
from tenax.policy.retry import StatusClass, classify_status
from tenax.record import record
from tenax.records.domains import BreakerState
from tenax.records.requests import Failure, Request, Response
from tenax.stores.contracts.vitals import BackingService, ServiceBreaker
from tenax.telemetry import log
from tenax.web.urls import domain_of, host_of, origin_of, parse_url, port_of, registrable_domain

_LOOPBACK = ("127.", "::1")
_MOST_TRUSTED = 1000
_PORTAL_ANSWER_BYTES = 100_000

Ask = Callable[[References, float], Awaitable[NetworkVerdict]]
Settle = Callable[[Fault], None]


@record
class _Held:
    suspect: Suspect
    domain: LeasedDomain
    settle: Settle


class NetworkWatch:
    """Mutable, of one worker."""

    def __init__(
        self, settings: NetworkSettings, pool: Pool, fetcher: Fetcher, clock: Clock, ask: Ask = check
    ) -> None:
        self._settings = settings
        self._pool = pool
        self._fetcher = fetcher
        self._clock = clock
        self._ask = ask
        self._held: list[_Held] = []
        self._trusted: OrderedDict[str, None] = OrderedDict()  # sites that were redirected to by others
        self._heard_at: Instant | None = None  # when a site last answered
        self._quiet_since: Instant | None = None  # no request in flight is being answered
        self._checked_at: Instant = 0.0
        self._recovered_at: Instant = 0.0
        self._lost_since: Instant | None = None  # it stopped waiting without knowing whether it is back
        self._needs_names = False
        self._portal: str | None = None
        self._portal_tries = 0
        self._reason = ""
        self.next_check_at: Instant = 0.0  # while it waits
        self.waiting_since: Instant | None = None  # None: the network works, as far as is known

    @property
    def is_enabled(self) -> bool:
        return self._settings.enabled

    @property
    def is_waiting(self) -> bool:
        return self.waiting_since is not None

    @property
    def trouble(self) -> str | None:
        """What the worker waits for; None: nothing."""
        if self.waiting_since is None:
            return None
        began = format_instant(self._clock.wall() - (self._clock.now() - self.waiting_since))
        return f"the network, which has been down since {began}: {self._reason}"

    def list_breakers(self) -> list[ServiceBreaker]:
        if self.waiting_since is None:
            return []
        return [
            ServiceBreaker(
                service=BackingService.NETWORK,
                state=BreakerState.OPEN,
                retry_at=self.next_check_at,
                reason=self._reason,
                since=self.waiting_since,
            )
        ]

    # --- answers -------------------------------------------------------------------------------------

    def note_response(self, domain: LeasedDomain, response: Response, now: Instant) -> Fault:
        """A site has answered; UNJUDGED if that may be a captive portal in its place."""
        if response.address.startswith(_LOOPBACK):
            return Fault.SITE
        if classify_status(response.status) is StatusClass.REDIRECT:
            to_site = self._find_strange(domain, response)
            if to_site is not None:
                return Fault.OURS if self._is_excused(response.started_at) else Fault.UNJUDGED
        self._heard_at = domain.heard_at = now
        domain.heard_from = (response.address, response.url)
        self._quiet_since = None
        if self._lost_since is not None:
            log.info("network_back", after_s=now - self._lost_since)
            self._lost_since = None
        if self.waiting_since is not None:
            self.next_check_at = min(self.next_check_at, now)
        if self._held:
            self._clear(registrable_domain(domain.name), response.started_at)
        return Fault.SITE

    def find_fault(self, failure: Failure) -> Fault:
        """Of an unheard failure."""
        return Fault.OURS if self._is_excused(failure.started_at) else Fault.UNJUDGED

    def hold(self, domain: LeasedDomain, answer: Response | Failure, now: Instant, settle: Settle) -> None:
        """Keep an unjudged answer; `settle` is called once, later, with its judgment."""
        suspect = Suspect(
            site=registrable_domain(domain.name),
            kind=answer.kind if isinstance(answer, Failure) else None,
            ended_at=now,
            to_site=None if isinstance(answer, Failure) else self._find_strange(domain, answer),
        )
        self._held.append(_Held(suspect=suspect, domain=domain, settle=settle))
        domain.unjudged += 1
        portal = find_portal(self._list_suspects(), self._settings)
        if portal is not None:
            self._portal, self._portal_tries = portal, 0
            self._begin_waiting(f"a captive portal ({portal}) answers in place of the sites", now)

    def note_silence(self, is_quiet: bool, now: Instant) -> None:
        """`is_quiet`: requests are in flight, and none has been answered for a moment."""
        if not is_quiet:
            self._quiet_since = None
        elif self._quiet_since is None:
            self._quiet_since = now

    def _is_excused(self, started_at: Instant) -> bool:
        """A request that ran during an outage, if only in part, says nothing about its site."""
        return self.waiting_since is not None or started_at < self._recovered_at

    def _find_strange(self, domain: LeasedDomain, response: Response) -> str | None:
        """The site that a redirect leads to, if it may be a captive portal: one that was never seen, and
        where others could tell."""
        if len(self._pool) < self._settings.sites:
            return None
        url = parse_url(response.headers.get("location", ""), response.url)
        if url is None:
            return None
        to_site = registrable_domain(domain_of(url))
        if to_site in self._trusted or to_site == registrable_domain(domain.name):
            return None
        if self._heard_at is None:
            # Before any site has answered for itself, aliases of one site cannot be told from a portal.
            self._trust(to_site)
            return None
        return to_site

    def _trust(self, site: str) -> None:
        self._trusted[site] = None
        if len(self._trusted) > _MOST_TRUSTED:
            self._trusted.popitem(last=False)

    # --- judgments -----------------------------------------------------------------------------------

    def _clear(self, site: str, started_at: Instant) -> None:
        self._settle(lambda suspect: is_cleared(suspect, site=site, started_at=started_at), Fault.SITE)

    def _settle(self, is_meant: Callable[[Suspect], bool], fault: Fault) -> None:
        settled = [held for held in self._held if is_meant(held.suspect)]
        if not settled:
            return
        self._held = [held for held in self._held if not is_meant(held.suspect)]
        for held in settled:
            if fault is Fault.SITE and held.suspect.to_site is not None:
                self._trust(held.suspect.to_site)
            held.domain.unjudged -= 1
            held.settle(Fault.OURS if held.suspect.is_ours_anyway else fault)

    def _begin_waiting(self, reason: str, now: Instant) -> None:
        since = [held.suspect.ended_at for held in self._held]
        if self._quiet_since is not None:
            since.append(self._quiet_since)
        self.waiting_since = self._lost_since or min(since, default=now)
        self._reason = reason
        self.next_check_at = now + self._settings.check_s
        if self._lost_since is None:
            log.warning("network_down", reason=reason)
        self._settle(lambda suspect: True, Fault.OURS)

    def _end_waiting(self, now: Instant) -> None:
        if self._portal is not None:
            self._trust(self._portal)
        self.waiting_since = self._quiet_since = self._portal = self._lost_since = None
        self._recovered_at = now
        self._fetcher.forget_failed_names()

    # --- checks --------------------------------------------------------------------------------------

    def find_check_at(self) -> Instant | None:
        """When the next check is due; None: there is no reason for one."""
        if self.waiting_since is not None:
            return self.next_check_at
        if not self._held and (self._quiet_since is None or self._heard_at is None):
            return None
        quiet_since = None
        if self._quiet_since is not None and self._heard_at is not None:
            quiet_since = max(self._quiet_since, self._checked_at)
        planned = plan_check(self._list_suspects(), quiet_since=quiet_since, settings=self._settings)
        return None if planned is None else max(planned, self._checked_at + LEAST_CHECK_S)

    async def check(self) -> None:
        """Ask the references, and judge by what they say."""
        asked_at = self._clock.now()
        self._clear_names()
        if self.find_check_at() is None:
            return
        if self._portal is not None:
            is_over = await self._ask_about_portal(self._portal, asked_at)
            self._apply(NetworkState.UP if is_over else NetworkState.DOWN, self._reason, asked_at)
            return
        if not self.is_waiting:
            self._needs_names = self._find_needs_names(asked_at)
        verdict = await self._ask(self._list_references(asked_at), self._settings.timeout_s)
        self._apply(verdict.state, verdict.detail, asked_at)

    async def diagnose(self) -> str | None:
        """Ask the references why nothing moves. None: the network works, as far as anybody can tell."""
        if self.waiting_since is not None:
            return self._reason
        if self._heard_at is None and not self._held:
            return None
        verdict = await self._ask(self._list_references(self._clock.now()), self._settings.timeout_s)
        return verdict.detail if verdict.state is NetworkState.DOWN else None

    def _clear_names(self) -> None:
        """A name server has found a host since."""
        found_at = self._fetcher.names_found_at
        if found_at is not None:
            self._settle(lambda suspect: suspect.is_name_failure and suspect.ended_at < found_at, Fault.SITE)

    def _apply(self, state: NetworkState, detail: str, asked_at: Instant) -> None:
        now = self._checked_at = self._clock.now()
        if state is NetworkState.UNKNOWN:
            if self._can_tell(self._find_origins(now, now + ORIGIN_WAIT_S)):
                self.next_check_at = now + self._settings.check_s
                return  # their pace will allow it soon
            if self.waiting_since is not None:
                self._try_again(now)
            elif self._lost_since is not None or any(each.is_ours_anyway for each in self._list_suspects()):
                self._begin_waiting("this machine has no network", now)
        elif state is NetworkState.DOWN:
            self._note_down(detail, now)
        elif self.waiting_since is not None:
            log.info("network_back", after_s=now - self.waiting_since)
            self._end_waiting(now)
        if not self.is_waiting:
            self._settle(lambda suspect: suspect.ended_at <= asked_at, Fault.SITE)

    def _note_down(self, detail: str, now: Instant) -> None:
        if self.is_waiting:
            self._reason, self.next_check_at = detail, now + self._settings.check_s
        else:
            self._begin_waiting(detail, now)

    def _try_again(self, now: Instant) -> None:
        """There is nobody to ask: only requests can show whether the network is back. Until one is answered,
        those that fail are not held against anybody."""
        since = self.waiting_since
        self._end_waiting(now)
        self._lost_since = since

    def _list_suspects(self) -> list[Suspect]:
        return [held.suspect for held in self._held]

    def _find_needs_names(self, now: Instant) -> bool:
        found_at = self._fetcher.names_found_at
        is_used = found_at is not None and now - found_at < RECENT_S
        return is_used or any(suspect.is_name_failure for suspect in self._list_suspects())

    def _list_references(self, now: Instant) -> References:
        settings = self._settings
        hosts = parse_endpoints(settings.hosts, HTTPS_PORT)
        servers = settings.name_servers or self._fetcher.name_servers
        return References(
            name_servers=parse_endpoints(servers, DNS_PORT),
            hosts=hosts or tuple(self._take_origins(now)),
            gateways=() if hosts else list_gateways(),
            needs_names=self._needs_names,
            known_name=self._find_known_name(),
        )

    def _find_known_name(self) -> str | None:
        """A host that answered lately, unless it has no name."""
        heard = [domain for domain in self._pool if domain.heard_at is not None]
        last = max(heard, key=lambda domain: domain.heard_at or 0.0, default=None)
        host = "" if last is None else host_of(last.heard_from[1])
        return host if host.isascii() and host.rpartition(".")[2].isalpha() else None

    def _take_origins(self, now: Instant) -> list[Endpoint]:
        """Servers that answered lately. A connection counts as a request for the pace of their domain."""
        sites = self._find_origins(now, now)
        if not self._can_tell(sites):
            return []
        chosen = list(sites.values())[:MOST_ORIGINS]
        for domain in chosen:
            _count_request(domain, now)
        return [Endpoint(ip=domain.heard_from[0], port=port_of(domain.heard_from[1])) for domain in chosen]

    def _find_origins(self, now: Instant, ready_at: Instant) -> dict[str, LeasedDomain]:
        """Sites that answered within an hour and may be asked at this instant, each with its domain; suspects
        come last."""
        suspects = {suspect.site for suspect in self._list_suspects()}
        sites: dict[str, LeasedDomain] = {}
        for domain in self._list_recent(now, ready_at):
            sites.setdefault(registrable_domain(domain.name), domain)
        return dict(sorted(sites.items(), key=lambda item: item[0] in suspects))

    def _can_tell(self, sites: Collection[str]) -> bool:
        """One suspect that is silent again says nothing; two unrelated ones do."""
        suspects = {suspect.site for suspect in self._list_suspects()}
        return len(sites) >= LEAST_ORIGINS or any(site not in suspects for site in sites)

    def _list_recent(self, now: Instant, ready_at: Instant) -> list[LeasedDomain]:
        """Domains that answered within an hour and may be asked at this instant, the last ones first."""
        least_at = (self.waiting_since or now) - RECENT_S
        recent = [
            domain
            for domain in self._pool
            if domain.heard_at is not None
            and domain.heard_at > least_at
            and domain.ready_at <= ready_at
            and (domain.unjudged or not domain.is_busy)
            and domain.state.status not in RESTING
        ]
        return sorted(recent, key=lambda domain: domain.heard_at or 0.0, reverse=True)

    async def _ask_about_portal(self, portal: str, now: Instant) -> bool:
        """Whether a site that answered before the captive portal did answers for itself again."""
        domain = next(iter(self._list_recent(now, now)), None)
        if domain is None:
            self._portal_tries += 1
            return self._portal_tries >= PORTAL_TRIES
        _count_request(domain, now)
        answer = await self._fetcher.fetch(
            Request(
                url=f"{origin_of(domain.heard_from[1])}/robots.txt",
                html_only=False,
                max_bytes=_PORTAL_ANSWER_BYTES,
                truncate=True,
                timeout_s=self._settings.timeout_s,
            )
        )
        if isinstance(answer, Failure):
            return not answer.is_unheard
        url = parse_url(answer.headers.get("location", ""), answer.url)
        return url is None or registrable_domain(domain_of(url)) != portal


def _count_request(domain: LeasedDomain, now: Instant) -> None:
    domain.state = replace(domain.state, pace=politeness.after_start(domain.state.pace, now))
    domain.plan(now, 0.0)
