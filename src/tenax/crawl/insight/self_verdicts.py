"""What the store doctor says about workers that watch themselves: stalls and deaths."""

from tenax.crawl.insight.verdicts import Verdict, VerdictCode
from tenax.crawl.insight.waiting import format_wait
from tenax.exits import Exit, describe_exit
from tenax.policy.restarts import LOOPING_DEATHS
from tenax.policy.stalls import ADVICE
from tenax.stores.queries.doctor import DoctorFacts
from tenax.stores.queries.runs import RunSummary
from tenax.wording import count_of

# After the longest pause between two starts, the loop is over.
CURRENT_S = 120.0

_ADVICE = {
    Exit.STORE: "Check the database server or the disk of the store.",
    Exit.INTERNAL: "See the logs of the workers, and please report the error.",
    Exit.BLOCKED: "See worker_ends_itself in the logs of the workers: it names what blocked them.",
    Exit.MEMORY: "Raise worker.memory_mb, or lower worker.concurrency.",
}
_ADVICE_FOR_KILLED = "See the logs of the workers. The system may have killed them for lack of memory."


def judge_deaths(facts: DoctorFacts, run: RunSummary) -> Verdict | None:
    deaths = facts.deaths
    if deaths.number < LOOPING_DEATHS or deaths.last_at is None or facts.now > deaths.last_at + CURRENT_S:
        return None
    code = deaths.last_code
    how = f", the last with {describe_exit(code)}" if code is not None else ""
    return Verdict(
        code=VerdictCode.CRASH_LOOP,
        sentence=f"{count_of(deaths.number, 'worker')} of run {run.id} died within ten minutes{how}. Each is"
        " replaced, after a longer pause every time.",
        since=deaths.last_at,
        advice=_ADVICE_FOR_KILLED if code is None else _ADVICE.get(Exit(code), _ADVICE_FOR_KILLED),
    )


def judge_stall(facts: DoctorFacts) -> Verdict | None:
    stall = facts.stall
    if stall is None:
        return None
    return Verdict(
        code=VerdictCode.STALLED,
        sentence=f"Stall detected: {count_of(facts.stalled_workers, 'worker')} did nothing although something"
        f" was due. Cause: {stall.cause}.",
        detail=stall.sentence,
        since=stall.began_at,
        advice=ADVICE[stall.cause],
    )


def describe_longest(facts: DoctorFacts) -> str | None:
    longest = facts.longest
    if longest is None:
        return None
    return (
        f"The longest visit in progress is {longest.url}, for {format_wait(facts.now - longest.started_at)}."
    )
