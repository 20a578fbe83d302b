"""Names the one thing that holds a crawl back, judged from its store: also when no worker is active.

live_doctor.py names what a running worker waits for. This is apart from it because reports import SQLAlchemy,
which no worker needs.
"""

from tenax.clock import format_instant
from tenax.crawl.insight.parser_verdicts import LEAST_BARREN, judge_done, judge_parsers
from tenax.crawl.insight.self_verdicts import describe_longest, judge_deaths, judge_stall
from tenax.crawl.insight.trap_sentences import format_open
from tenax.crawl.insight.verdicts import Verdict, VerdictCode
from tenax.crawl.insight.waiting import describe_foreign, describe_waiting, format_wait
from tenax.records.runs import RunState
from tenax.stores.contracts.overview import NextDomain
from tenax.stores.queries.doctor import DoctorFacts, QueueFacts, TrappedDomain
from tenax.stores.queries.runs import RunSummary
from tenax.stores.write_check import WriteObstacle
from tenax.wording import as_sentence, count_of

# Fewer visits say nothing about name servers.
LEAST_VISITS = 10
# Nothing has moved for this long: slower than any pace that a crawl is configured with.
STILL_S = 120.0
# New urls that wait for less than this do not hold a crawl back.
INTAKE_S = 10.0
# A run whose first visit takes longer has not started well: the total deadline of a request is about as long.
BEGINNING_S = 30.0


def diagnose_write_obstacle(obstacle: WriteObstacle) -> Verdict:
    """Comes before all facts in the store: nothing works while it cannot be written."""
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
            sentence="No run has been started yet.",
            since=None,
            advice="Start a crawl.",
        )
    if run.state is RunState.PAUSED:
        return Verdict(
            code=VerdictCode.PAUSED,
            sentence=f"Run {run.id} is paused.",
            since=run.paused_at,
            advice="Resume it or cancel it.",
        )
    if run.state is not RunState.RUNNING:
        return _judge_ended(facts, run)
    return (
        judge_deaths(facts, run)
        or _judge_processes(facts, run)
        or _judge_budget(facts, run)
        or _judge_empty(facts)
        or _judge_network(facts)
        or judge_stall(facts)
        or _judge_machine(facts)
        # Before the rest: hosts that cannot be resolved are why domains rest.
        or _judge_names(facts)
        or _judge_intake(facts, run)
        or _judge_rest(facts)
        or _judge_silence(facts)
        or _judge_rendering(facts)
        or judge_parsers(facts, LEAST_BARREN)
        or _judge_pace(facts)
    )


def _judge_ended(facts: DoctorFacts, run: RunSummary) -> Verdict:
    queues = facts.queues
    if not queues.urls:
        return judge_parsers(facts) or judge_done(facts, run)
    if run.state is RunState.BUDGET:
        return _judge_used_up(facts, run)
    if run.state is RunState.DONE and (verdict := _judge_rest(facts)) is not None:
        return verdict
    return Verdict(
        code=VerdictCode.STOPPED,
        sentence=f"Run {run.id} is over ({run.state}), with {count_of(queues.urls, 'url')} still queued.",
        since=run.ended_at,
        advice="Start a crawl to continue.",
    )


def _judge_processes(facts: DoctorFacts, run: RunSummary) -> Verdict | None:
    """None: workers are active and can write."""
    foreign = facts.foreign
    if foreign is not None and foreign.is_blocking:
        return Verdict(
            code=VerdictCode.STORE,
            sentence="Another program is blocking the store.",
            detail=f"The cause is {describe_foreign(foreign)}.",
            since=None if foreign.age_s is None else facts.now - foreign.age_s,
            advice="End that transaction.",
        )
    if not facts.workers and facts.silent_workers:
        return Verdict(
            code=VerdictCode.STORE,
            sentence=f"{count_of(facts.silent_workers, 'worker')} on this machine cannot write to the store.",
            since=facts.last_heartbeat_at,
            advice="Check the disk, the database server and the logs of the workers.",
        )
    if not facts.workers:
        return Verdict(
            code=VerdictCode.NO_WORKER,
            sentence=f"No active workers on run {run.id}, with {count_of(facts.queues.urls, 'url')} queued.",
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
        sentence=f"Run {run.id} has reached its limit of {count_of(run.pages, 'page')}, with"
        f" {count_of(facts.queues.urls, 'url')} still queued.",
        since=run.ended_at,
        advice="Start a crawl with a higher page limit.",
    )


def _judge_empty(facts: DoctorFacts) -> Verdict | None:
    if not facts.queues.urls:
        return Verdict(
            code=VerdictCode.DONE,
            sentence="No urls are left; the run is about to end.",
            since=facts.visits.last_at,
            advice=None,
        )
    return None


def _judge_intake(facts: DoctorFacts, run: RunSummary) -> Verdict | None:
    """None: there is enough to do, or new urls do not wait for long."""
    wait_s = (run.intake_at or 0.0) - facts.now
    if not facts.new_urls_per_s or wait_s < INTAKE_S or facts.queues.ready:
        return None
    return Verdict(
        code=VerdictCode.INTAKE,
        sentence=f"Run {run.id} finds more than {count_of(facts.new_urls_per_s, 'new url')} per second: those"
        f" beyond that wait, the last for {format_wait(wait_s)}.",
        since=None,
        advice="Raise limits.new_urls_per_s if that is too slow. A new run begins with everything queued.",
    )


def _judge_rest(facts: DoctorFacts) -> Verdict | None:
    """All domains in the queue have to wait; None: some may be requested now."""
    queues, waiting = facts.queues, facts.queues.next_waiting
    if queues.held or queues.ready:
        return None
    if queues.walled == queues.domains:
        return _judge_walls(facts)
    if waiting is not None:
        urls, why = count_of(queues.urls, "url"), describe_waiting(waiting, facts.now)
        return Verdict(
            code=VerdictCode.RESTING,
            sentence=f"All domains with queued urls are resting ({urls}): {why}.",
            since=facts.visits.last_at,
            advice=_advise_rest(queues, waiting),
        )
    if queues.parked:
        return Verdict(
            code=VerdictCode.PARKED,
            sentence=f"All domains in the queue ({count_of(queues.domains, 'domain')}) have used up their"
            " pages for this run.",
            since=facts.visits.last_at,
            advice="The next run continues with them. Raise limits.pages_per_domain to allow more pages.",
        )
    return _judge_left_alone(facts)


def _judge_walls(facts: DoctorFacts) -> Verdict:
    queues = facts.queues
    return Verdict(
        code=VerdictCode.BOT_WALL,
        sentence=f"All domains with queued urls ({count_of(queues.urls, 'url')}) show bot checks, such as"
        f" {queues.first_walled}.",
        since=facts.visits.last_at,
        advice="They are tried again after domains.bot_wall_s. Ask their owners for access, or crawl more"
        " slowly; 'tenax domains unblock NAME' tries again at once.",
    )


def _judge_rendering(facts: DoctorFacts) -> Verdict | None:
    visits = facts.visits
    if visits.number >= LEAST_VISITS and 2 * visits.need_rendering > visits.number:
        return Verdict(
            code=VerdictCode.RENDERING,
            sentence=f"{visits.need_rendering:,} of the last {visits.number:,} answers need a browser.",
            since=visits.need_rendering_since,
            advice="They are rejected and wait to be rendered: 'tenax export urls --fate rejected' lists"
            " them. If they are pages, switch validation.enabled off; then 'tenax retry --reason rejected'.",
        )
    return None


def _judge_left_alone(facts: DoctorFacts) -> Verdict:
    """A user decided so, or the domains have refused too many requests."""
    queues = facts.queues
    kinds = {"blocked": queues.blocked, "inactive": queues.inactive}
    actions = {"blocked": "unblock them", "inactive": "activate them ('tenax domains set NAME --active')"}
    found = [kind for kind, number in kinds.items() if number] or ["blocked"]
    urls = count_of(queues.urls, "url")
    return Verdict(
        code=VerdictCode.BLOCKED,
        sentence=f"All queued urls ({urls}) belong to {' or '.join(found)} domains.",
        since=facts.visits.last_at,
        advice=f"To crawl them, {', or '.join(actions[kind] for kind in found)}.",
    )


def _advise_rest(queues: QueueFacts, waiting: NextDomain) -> str:
    until = f"Wait until {format_instant(waiting.avail_at)}"
    if not queues.can_ask_again:
        return f"{until}."
    return f"{until}, or start a crawl with the seed of {waiting.domain} to retry it at once."


def _judge_network(facts: DoctorFacts) -> Verdict | None:
    if facts.network is None:
        return None
    workers = count_of(facts.waiting_workers, "worker")
    return Verdict(
        code=VerdictCode.NETWORK,
        sentence=as_sentence(f"Waiting for the network ({workers}): {facts.network.reason}"),
        since=facts.network.since,
        advice="Check the network of the machines that crawl. The crawl continues by itself when it is back;"
        " no site is blamed in the meantime.",
    )


def _judge_machine(facts: DoctorFacts) -> Verdict | None:
    if facts.machine is None:
        return None
    workers = count_of(facts.short_workers, "worker")
    return Verdict(
        code=VerdictCode.MACHINE,
        sentence=as_sentence(f"The machine of {workers} is short of resources: {facts.machine.reason}"),
        since=None,
        advice="Add resources, or lower worker.concurrency. Nothing is lost in the meantime.",
    )


def _judge_names(facts: DoctorFacts) -> Verdict | None:
    visits = facts.visits
    if visits.number >= LEAST_VISITS and 2 * visits.names_failed > visits.number:
        return Verdict(
            code=VerdictCode.DNS,
            sentence=f"{visits.names_failed:,} of the last {visits.number:,} visits could not resolve"
            " their host.",
            since=visits.names_failed_since,
            advice="Check the DNS servers of the machines that crawl.",
        )
    return None


def _judge_silence(facts: DoctorFacts) -> Verdict | None:
    """None: some domain answers, or may be claimed."""
    queues = facts.queues
    if not facts.silent_domains or queues.ready or facts.silent_domains < queues.held:
        return None
    return Verdict(
        code=VerdictCode.SILENT,
        sentence=f"Requests to {count_of(facts.silent_domains, 'domain')} are in flight, and none has been"
        " answered.",
        since=facts.visits.last_at,
        advice="They end at their deadlines. If no site answers, check the network of the machines that"
        " crawl.",
    )


def _judge_trap(trap: TrappedDomain) -> Verdict:
    return Verdict(
        code=VerdictCode.TRAPPED,
        sentence=f"{trap.domain} seems endless: {trap.visits:,} of its {count_of(trap.pages, 'page')} are"
        f" like {trap.shape} and brought nothing new.",
        since=None,
        advice=f"Other urls of it come first. If these are wanted: {format_open(trap.domain, trap.shape)}.",
    )


def _judge_pace(facts: DoctorFacts) -> Verdict:
    moved_at = max(facts.visits.last_at or 0.0, facts.run.started_at if facts.run else 0.0)
    if not facts.visits.number and facts.now - moved_at > BEGINNING_S:
        return Verdict(
            code=VerdictCode.STILL,
            sentence=f"No visit has finished yet, {format_wait(facts.now - moved_at)} after the run started,"
            f" with {count_of(facts.workers, 'active worker')}.",
            detail=describe_longest(facts),
            since=moved_at,
            advice="The first site may be slow to answer. See the logs of the workers.",
        )
    if facts.now - moved_at > STILL_S:
        return Verdict(
            code=VerdictCode.STILL,
            sentence=f"No visit has finished for {format_wait(facts.now - moved_at)}, with"
            f" {count_of(facts.workers, 'active worker')}.",
            detail=describe_longest(facts),
            since=moved_at,
            advice="Politeness may require such pauses. See the logs of the workers.",
        )
    if facts.redis is not None:
        return Verdict(
            code=VerdictCode.REDIS,
            sentence="The crawl is running without Redis.",
            detail=as_sentence(f"Redis is unavailable: {facts.redis.reason}"),
            since=None,
            advice="Check the Redis server. Nothing is lost in the meantime.",
        )
    if facts.foreign is not None:
        return Verdict(
            code=VerdictCode.STORE,
            sentence="Another program is slowing down the store.",
            detail=f"The cause is {describe_foreign(facts.foreign)}.",
            since=None if facts.foreign.age_s is None else facts.now - facts.foreign.age_s,
            advice="End that transaction.",
        )
    if facts.trap is not None:
        return _judge_trap(facts.trap)
    silence = f", {count_of(facts.silent_domains, 'silent domain')}" if facts.silent_domains else ""
    return Verdict(
        code=VerdictCode.WELL,
        sentence=f"Healthy: {facts.pages_per_min:,.0f} pages/min,"
        f" {count_of(facts.workers, 'active worker')}, {count_of(facts.queues.urls, 'url')} queued{silence}.",
        since=facts.run.started_at if facts.run else None,
        advice=None,
    )
