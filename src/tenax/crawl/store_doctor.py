"""Names the one thing that holds a crawl back, seen from its store: whoever runs the workers, and also when
nobody does. Apart from doctor.py, for reports bring SQLAlchemy along, which no worker needs.
"""

from enum import StrEnum

from tenax.clock import Instant, format_instant
from tenax.crawl.doctor import describe_foreign, describe_waiting, format_wait
from tenax.records import RunState
from tenax.stores.doctor_facts import Facts
from tenax.stores.reports import RunSummary
from tenax.values import record

# Fewer visits say nothing about name servers.
LEAST_VISITS = 10
# Nothing has moved for so long: slower than any pace that a crawl is ordered with.
STILL_S = 120.0


class VerdictCode(StrEnum):
    NO_RUN = "no_run"  # nobody has started one
    PAUSED = "paused"  # a person holds it
    STOPPED = "stopped"  # it ended before everything was done
    DONE = "done"  # nothing is left to do
    BUDGET = "budget"  # it has as many pages as it may
    NO_WORKER = "no_worker"  # nobody works on it
    STORE = "store"  # what is written has to wait
    DNS = "dns"  # most names cannot be looked up
    BLOCKED = "blocked"  # all that waits waits for a person
    PARKED = "parked"  # all that waits belongs to domains that have had their pages of this run
    RESTING = "resting"  # all domains that wait may be asked later
    REDIS = "redis"  # it goes on without, and somewhat slower
    STILL = "still"  # workers are there and nothing moves
    WELL = "well"


@record(frozen=True, slots=True, kw_only=True)
class Verdict:
    code: VerdictCode
    sentence: str
    since: Instant | None  # None: it cannot be told
    advice: str | None  # None: there is nothing to do


def diagnose_store(facts: Facts) -> Verdict:
    run = facts.run
    if run is None:
        return Verdict(
            code=VerdictCode.NO_RUN,
            sentence="No run was ever started.",
            since=None,
            advice="Start a crawl.",
        )
    if run.state is RunState.PAUSED:
        return Verdict(
            code=VerdictCode.PAUSED,
            sentence=f"Run {run.id} is paused.",
            since=run.paused_at,
            advice="Resume it, or cancel it.",
        )
    if run.state is not RunState.RUNNING:
        return _judge_ended(facts, run)
    return (
        _judge_hands(facts, run)
        or _judge_budget(facts, run)
        or _judge_empty(facts)
        # Before the rest: names that cannot be looked up are why domains rest.
        or _judge_names(facts)
        or _judge_rest(facts)
        or _judge_pace(facts)
    )


def _judge_ended(facts: Facts, run: RunSummary) -> Verdict:
    queues = facts.queues
    if not queues.urls:
        return Verdict(
            code=VerdictCode.DONE,
            sentence=f"Run {run.id} is over and everything known has its fate.",
            since=run.ended_at,
            advice="Add seeds, or refresh the pages whose time has come.",
        )
    if run.state is RunState.BUDGET:
        return _judge_used_up(facts, run)
    if run.state is RunState.DONE and (verdict := _judge_rest(facts)) is not None:
        return verdict
    return Verdict(
        code=VerdictCode.STOPPED,
        sentence=f"Run {run.id} is over ({run.state}), with {_count(queues.urls, 'url')} in the queue.",
        since=run.ended_at,
        advice="Start a crawl to go on.",
    )


def _judge_hands(facts: Facts, run: RunSummary) -> Verdict | None:
    """Whether anybody is at it and can write down what it finds."""
    foreign = facts.foreign
    if foreign is not None and foreign.is_blocking:
        return Verdict(
            code=VerdictCode.STORE,
            sentence=f"The store waits: {describe_foreign(foreign)}.",
            since=None if foreign.age_s is None else facts.now - foreign.age_s,
            advice="End that transaction.",
        )
    if not facts.workers and facts.silent_workers:
        return Verdict(
            code=VerdictCode.STORE,
            sentence=f"{_count(facts.silent_workers, 'worker')} on this machine, alive and unable to write.",
            since=facts.last_heartbeat_at,
            advice="Look at the disk, the server and the logs of the workers.",
        )
    if not facts.workers:
        return Verdict(
            code=VerdictCode.NO_WORKER,
            sentence=f"Nobody works on run {run.id}, with {_count(facts.queues.urls, 'url')} in the queue.",
            since=facts.last_heartbeat_at,
            advice="Start `tenax worker`, or run the same crawl command.",
        )
    return None


def _judge_budget(facts: Facts, run: RunSummary) -> Verdict | None:
    if facts.max_pages is not None and run.pages >= facts.max_pages:
        return _judge_used_up(facts, run)
    return None


def _judge_used_up(facts: Facts, run: RunSummary) -> Verdict:
    return Verdict(
        code=VerdictCode.BUDGET,
        sentence=f"Run {run.id} has its {_count(run.pages, 'page')}, with"
        f" {_count(facts.queues.urls, 'url')} in the queue.",
        since=run.ended_at,
        advice="Start a crawl with a larger limit of pages.",
    )


def _judge_empty(facts: Facts) -> Verdict | None:
    if not facts.queues.urls:
        return Verdict(
            code=VerdictCode.DONE,
            sentence="Nothing is left to do; the run is about to end.",
            since=facts.visits.last_at,
            advice=None,
        )
    return None


def _judge_rest(facts: Facts) -> Verdict | None:
    """All domains that wait are at rest; None: some may be asked now."""
    queues, waiting = facts.queues, facts.queues.next_waiting
    if queues.held or queues.ready:
        return None
    if waiting is not None:
        urls = _count(queues.urls, "url")
        return Verdict(
            code=VerdictCode.RESTING,
            sentence=f"All domains with waiting urls rest ({urls}): {describe_waiting(waiting, facts.now)}.",
            since=facts.visits.last_at,
            advice=f"Wait until {format_instant(waiting.avail_at)}.",
        )
    if queues.parked:
        return Verdict(
            code=VerdictCode.PARKED,
            sentence=f"All domains in the queue ({_count(queues.domains, 'domain')}) have had their pages of"
            " this run.",
            since=facts.visits.last_at,
            advice="The next run goes on with them; limits.pages_per_domain allows more.",
        )
    return Verdict(
        code=VerdictCode.BLOCKED,
        sentence=f"All that waits, {_count(queues.urls, 'url')}, belongs to domains that are blocked.",
        since=facts.visits.last_at,
        advice="Unblock them, or leave it at that.",
    )


def _judge_names(facts: Facts) -> Verdict | None:
    visits = facts.visits
    if visits.number >= LEAST_VISITS and 2 * visits.names_failed > visits.number:
        return Verdict(
            code=VerdictCode.DNS,
            sentence=f"Of the last {visits.number:,} visits {visits.names_failed:,} could not find the host.",
            since=visits.names_failed_since,
            advice="Look at the name servers of the machines that crawl.",
        )
    return None


def _judge_pace(facts: Facts) -> Verdict:
    moved_at = max(facts.visits.last_at or 0.0, facts.run.started_at if facts.run else 0.0)
    if facts.now - moved_at > STILL_S:
        return Verdict(
            code=VerdictCode.STILL,
            sentence=f"No visit has ended for {format_wait(facts.now - moved_at)}, with"
            f" {_count(facts.workers, 'worker')} at work.",
            since=moved_at,
            advice="Politeness may ask for such pauses; the logs of the workers tell more.",
        )
    if facts.redis is not None:
        return Verdict(
            code=VerdictCode.REDIS,
            sentence=f"The crawl goes on without Redis: {facts.redis.reason}.",
            since=None,
            advice="Look at the Redis server; nothing is lost meanwhile.",
        )
    if facts.foreign is not None:
        return Verdict(
            code=VerdictCode.STORE,
            sentence=f"The store gets slower: {describe_foreign(facts.foreign)}.",
            since=None if facts.foreign.age_s is None else facts.now - facts.foreign.age_s,
            advice="End that transaction.",
        )
    return Verdict(
        code=VerdictCode.WELL,
        sentence=f"It goes well: {facts.pages_per_min:,.0f} pages a minute,"
        f" {_count(facts.workers, 'worker')} at work, {_count(facts.queues.urls, 'url')} in the queue.",
        since=facts.run.started_at if facts.run else None,
        advice=None,
    )


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
