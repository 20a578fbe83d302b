"""Names the one thing that holds a crawl back, seen from its store: whoever runs the workers, and also when
nobody does. Apart from doctor.py, for reports bring SQLAlchemy along, which no worker needs.
"""

from enum import StrEnum

from tenax.clock import Instant, format_instant
from tenax.crawl.insight.live_doctor import describe_foreign, describe_waiting, format_wait
from tenax.record import record
from tenax.records import RunState
from tenax.stores.base import NextDomain
from tenax.stores.queries.doctor import DoctorFacts, QueueFacts
from tenax.stores.queries.status import RunSummary
from tenax.stores.write_check import WriteObstacle
from tenax.wording import as_sentence, count_of

# Fewer visits say nothing about name servers.
LEAST_VISITS = 10
# Nothing has moved for so long: slower than any pace that a crawl is ordered with.
STILL_S = 120.0
# A run whose first visit takes longer has not begun well: the total deadline of a request is about as long.
BEGINNING_S = 30.0


class VerdictCode(StrEnum):
    NO_RUN = "no_run"  # nobody has started one
    PAUSED = "paused"  # a person holds it
    STOPPED = "stopped"  # it ended before everything was done
    DONE = "done"  # nothing is left to do
    BUDGET = "budget"  # it has as many pages as it may
    NO_WORKER = "no_worker"  # nobody works on it
    DISK = "disk"  # it takes nothing
    STORE = "store"  # what is written has to wait
    MACHINE = "machine"  # a machine that crawls is short of something
    DNS = "dns"  # most names cannot be looked up
    BLOCKED = "blocked"  # all that waits waits for a person
    PARKED = "parked"  # all that waits belongs to domains that have had their pages of this run
    RESTING = "resting"  # all domains that wait may be asked later
    SILENT = "silent"  # nobody answers who may be asked
    REDIS = "redis"  # it goes on without, and somewhat slower
    STILL = "still"  # workers are there and nothing moves
    WELL = "well"


@record
class Verdict:
    code: VerdictCode
    sentence: str
    detail: str | None = None  # names sessions and servers: for those who run the service
    since: Instant | None  # None: it cannot be told
    advice: str | None  # None: there is nothing to do


def diagnose_write_obstacle(obstacle: WriteObstacle) -> Verdict:
    """Before anything that the store tells: nothing goes on while it takes nothing."""
    return Verdict(
        code=VerdictCode.DISK if obstacle.is_disk else VerdictCode.STORE,
        sentence=obstacle.sentence,
        since=None,
        advice=obstacle.advice,
    )


def diagnose_store(facts: DoctorFacts) -> Verdict:
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
        _judge_processes(facts, run)
        or _judge_budget(facts, run)
        or _judge_empty(facts)
        or _judge_machine(facts)
        # Before the rest: names that cannot be looked up are why domains rest.
        or _judge_names(facts)
        or _judge_rest(facts)
        or _judge_silence(facts)
        or _judge_pace(facts)
    )


def _judge_ended(facts: DoctorFacts, run: RunSummary) -> Verdict:
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
        sentence=f"Run {run.id} is over ({run.state}), with {count_of(queues.urls, 'url')} in the queue.",
        since=run.ended_at,
        advice="Start a crawl to go on.",
    )


def _judge_processes(facts: DoctorFacts, run: RunSummary) -> Verdict | None:
    """Whether anybody is at it and can write down what it finds."""
    foreign = facts.foreign
    if foreign is not None and foreign.is_blocking:
        return Verdict(
            code=VerdictCode.STORE,
            sentence="The store waits for another program.",
            detail=f"It is {describe_foreign(foreign)}.",
            since=None if foreign.age_s is None else facts.now - foreign.age_s,
            advice="End that transaction.",
        )
    if not facts.workers and facts.silent_workers:
        return Verdict(
            code=VerdictCode.STORE,
            sentence=f"{count_of(facts.silent_workers, 'worker')} on this machine, alive and unable to"
            " write.",
            since=facts.last_heartbeat_at,
            advice="Look at the disk, the server and the logs of the workers.",
        )
    if not facts.workers:
        return Verdict(
            code=VerdictCode.NO_WORKER,
            sentence=f"Nobody works on run {run.id}, with {count_of(facts.queues.urls, 'url')} in the queue.",
            since=facts.last_heartbeat_at,
            advice="Start 'tenax worker', or run the same crawl command.",
        )
    return None


def _judge_budget(facts: DoctorFacts, run: RunSummary) -> Verdict | None:
    if facts.max_pages is not None and run.pages >= facts.max_pages:
        return _judge_used_up(facts, run)
    return None


def _judge_used_up(facts: DoctorFacts, run: RunSummary) -> Verdict:
    return Verdict(
        code=VerdictCode.BUDGET,
        sentence=f"Run {run.id} has its {count_of(run.pages, 'page')}, with"
        f" {count_of(facts.queues.urls, 'url')} in the queue.",
        since=run.ended_at,
        advice="Start a crawl with a larger limit of pages.",
    )


def _judge_empty(facts: DoctorFacts) -> Verdict | None:
    if not facts.queues.urls:
        return Verdict(
            code=VerdictCode.DONE,
            sentence="Nothing is left to do; the run is about to end.",
            since=facts.visits.last_at,
            advice=None,
        )
    return None


def _judge_rest(facts: DoctorFacts) -> Verdict | None:
    """All domains that wait are at rest; None: some may be asked now."""
    queues, waiting = facts.queues, facts.queues.next_waiting
    if queues.held or queues.ready:
        return None
    if waiting is not None:
        urls = count_of(queues.urls, "url")
        return Verdict(
            code=VerdictCode.RESTING,
            sentence=f"All domains with waiting urls rest ({urls}): {describe_waiting(waiting, facts.now)}.",
            since=facts.visits.last_at,
            advice=_advise_rest(queues, waiting),
        )
    if queues.parked:
        return Verdict(
            code=VerdictCode.PARKED,
            sentence=f"All domains in the queue ({count_of(queues.domains, 'domain')}) have had their pages"
            " of this run.",
            since=facts.visits.last_at,
            advice="The next run goes on with them; limits.pages_per_domain allows more.",
        )
    return _judge_left_alone(facts)


def _judge_left_alone(facts: DoctorFacts) -> Verdict:
    """A person has said so, or they have turned us away too often."""
    queues = facts.queues
    kinds = {"blocked": queues.blocked, "inactive": queues.inactive}
    orders = {"blocked": "Unblock them", "inactive": "Make them active ('tenax domains set NAME --active')"}
    found = [kind for kind, number in kinds.items() if number] or ["blocked"]
    urls = count_of(queues.urls, "url")
    return Verdict(
        code=VerdictCode.BLOCKED,
        sentence=f"All that waits, {urls}, belongs to domains that are {' or '.join(found)}.",
        since=facts.visits.last_at,
        advice=f"{', or '.join(orders[kind] for kind in found)}, or leave it at that.",
    )


def _advise_rest(queues: QueueFacts, waiting: NextDomain) -> str:
    until = f"Wait until {format_instant(waiting.avail_at)}"
    if not queues.can_ask_again:
        return f"{until}."
    return f"{until}, or crawl {waiting.domain} again by naming its seed: that gives it another try at once."


def _judge_machine(facts: DoctorFacts) -> Verdict | None:
    if facts.machine is None:
        return None
    workers = count_of(facts.short_workers, "worker")
    return Verdict(
        code=VerdictCode.MACHINE,
        sentence=as_sentence(f"The machine of {workers} is short of something: {facts.machine.reason}"),
        since=None,
        advice="Give it more, or set worker.concurrency lower; nothing is lost meanwhile.",
    )


def _judge_names(facts: DoctorFacts) -> Verdict | None:
    visits = facts.visits
    if visits.number >= LEAST_VISITS and 2 * visits.names_failed > visits.number:
        return Verdict(
            code=VerdictCode.DNS,
            sentence=f"Of the last {visits.number:,} visits {visits.names_failed:,} could not find the host.",
            since=visits.names_failed_since,
            advice="Look at the name servers of the machines that crawl.",
        )
    return None


def _judge_silence(facts: DoctorFacts) -> Verdict | None:
    """None: some domain is heard of, or may be claimed."""
    queues = facts.queues
    if not facts.silent_domains or queues.ready or facts.silent_domains < queues.held:
        return None
    return Verdict(
        code=VerdictCode.SILENT,
        sentence=f"Requests to {count_of(facts.silent_domains, 'domain')} are under way, and none is"
        " answered.",
        since=facts.visits.last_at,
        advice="They end at their deadlines; if no site answers, look at the network of the machines that"
        " crawl.",
    )


def _judge_pace(facts: DoctorFacts) -> Verdict:
    moved_at = max(facts.visits.last_at or 0.0, facts.run.started_at if facts.run else 0.0)
    if not facts.visits.number and facts.now - moved_at > BEGINNING_S:
        return Verdict(
            code=VerdictCode.STILL,
            sentence=f"No visit of the run has ended yet, {format_wait(facts.now - moved_at)} after its"
            f" beginning, with {count_of(facts.workers, 'worker')} at work.",
            since=moved_at,
            advice="The first site may be slow to answer; the logs of the workers tell more.",
        )
    if facts.now - moved_at > STILL_S:
        return Verdict(
            code=VerdictCode.STILL,
            sentence=f"No visit has ended for {format_wait(facts.now - moved_at)}, with"
            f" {count_of(facts.workers, 'worker')} at work.",
            since=moved_at,
            advice="Politeness may ask for such pauses; the logs of the workers tell more.",
        )
    if facts.redis is not None:
        return Verdict(
            code=VerdictCode.REDIS,
            sentence="The crawl goes on without Redis.",
            detail=as_sentence(f"It is away: {facts.redis.reason}"),
            since=None,
            advice="Look at the Redis server; nothing is lost meanwhile.",
        )
    if facts.foreign is not None:
        return Verdict(
            code=VerdictCode.STORE,
            sentence="The store gets slower because of another program.",
            detail=f"It is {describe_foreign(facts.foreign)}.",
            since=None if facts.foreign.age_s is None else facts.now - facts.foreign.age_s,
            advice="End that transaction.",
        )
    silence = f"; {count_of(facts.silent_domains, 'domain')} silent" if facts.silent_domains else ""
    return Verdict(
        code=VerdictCode.WELL,
        sentence=f"It goes well: {facts.pages_per_min:,.0f} pages a minute,"
        f" {count_of(facts.workers, 'worker')} at work, {count_of(facts.queues.urls, 'url')} in the"
        f" queue{silence}.",
        since=facts.run.started_at if facts.run else None,
        advice=None,
    )
