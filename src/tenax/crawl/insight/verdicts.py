"""The verdicts of the store doctor: one code for each thing that can hold a crawl back."""

from enum import StrEnum

from tenax.clock import Instant
from tenax.record import record


class VerdictCode(StrEnum):
    NO_RUN = "no_run"  # none was ever started
    PAUSED = "paused"  # a user has paused it
    STOPPED = "stopped"  # it ended before everything was done
    DONE = "done"  # nothing is left to do
    BUDGET = "budget"  # it has reached its page limit
    NO_WORKER = "no_worker"  # it has no active workers
    CRASH_LOOP = "crash_loop"  # its workers keep dying
    DISK = "disk"  # it cannot be written
    STORE = "store"  # writes have to wait
    NETWORK = "network"  # a machine that crawls has lost its network
    STALLED = "stalled"  # a worker does nothing although something is due, and says why
    MACHINE = "machine"  # a machine that crawls is short of resources
    DNS = "dns"  # most hosts cannot be resolved
    BOT_WALL = "bot_wall"  # all queued urls belong to domains that show bot checks
    RENDERING = "rendering"  # most answers need a browser
    BLOCKED = "blocked"  # all queued urls wait for a user to unblock or activate their domains
    PARKED = "parked"  # all queued urls belong to domains that have used up their pages for this run
    RESTING = "resting"  # all queued urls belong to domains that may only be requested later
    INTAKE = "intake"  # new urls wait for their turn: limits.new_urls_per_s
    SILENT = "silent"  # no domain answers that may be requested
    PARSER = "parser"  # a parser fails on most of its pages, or makes no item
    TRAPPED = "trapped"  # most pages of a domain bring nothing new
    REDIS = "redis"  # the crawl runs without it, somewhat slower
    STILL = "still"  # there are active workers, and nothing moves
    WELL = "well"  # healthy


@record
class Verdict:
    code: VerdictCode
    sentence: str
    detail: str | None = None  # names sessions and servers: for operators
    since: Instant | None  # None: unknown
    advice: str | None  # None: there is nothing to do
