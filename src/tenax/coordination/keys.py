"""The keys in Redis and their lifetimes. docs/redis.md explains them; a test compares the two."""

from xxhash import xxh3_64_hexdigest

from tenax.clock import Instant
from tenax.config.fetch import FetchSettings
from tenax.record import record

MINUTE_S = 60
HOUR_S = 60 * MINUTE_S
DAY_S = 24 * HOUR_S


@record
class RedisKey:
    pattern: str
    kind: str  # the Redis type
    ttl_s: int  # the maximum; every key has one


ROBOTS = RedisKey(pattern="tenax:web:<view>:robots:<origin>", kind="string", ttl_s=HOUR_S)
ADDRESSES = RedisKey(pattern="tenax:web:<view>:dns:<host>", kind="string", ttl_s=HOUR_S)
SEEN = RedisKey(pattern="tenax:<store>:seen:<bucket>", kind="set", ttl_s=DAY_S)
REPORTS = RedisKey(pattern="tenax:<store>:run:<id>", kind="hash", ttl_s=HOUR_S)
EVENTS = RedisKey(pattern="tenax:<store>:events", kind="stream", ttl_s=HOUR_S)
NOTICES = RedisKey(pattern="tenax:<store>:notices", kind="stream", ttl_s=DAY_S)
SESSIONS = RedisKey(pattern="tenax:<store>:session:<hash>", kind="string", ttl_s=DAY_S)
HITS = RedisKey(pattern="tenax:<store>:hits:<who>", kind="list", ttl_s=MINUTE_S)
ATTEMPTS = RedisKey(pattern="tenax:<store>:attempts:<who>", kind="hash", ttl_s=30 * MINUTE_S)

KEYS = (ROBOTS, ADDRESSES, SEEN, REPORTS, EVENTS, NOTICES, SESSIONS, HITS, ATTEMPTS)


@record
class RedisNames:
    """The keys of one store. Facts about the web are shared by all crawls that see the same web: a different
    user agent, other name servers or other host overrides make a different view."""

    store: str  # the store's identity
    view: str

    def robots(self, origin: str) -> str:
        return f"tenax:web:{self.view}:robots:{origin}"

    def addresses(self, host: str) -> str:
        return f"tenax:web:{self.view}:dns:{host}"

    @property
    def seen(self) -> str:
        """The prefix of the bucket names."""
        return f"tenax:{self.store}:seen:"

    def reports(self, run_id: int) -> str:
        return f"tenax:{self.store}:run:{run_id}"

    @property
    def events(self) -> str:
        return f"tenax:{self.store}:events"

    @property
    def notices(self) -> str:
        return f"tenax:{self.store}:notices"

    def session(self, key: str) -> str:
        return f"tenax:{self.store}:session:{key}"

    def hits(self, key: str) -> str:
        return f"tenax:{self.store}:hits:{key}"

    def attempts(self, key: str) -> str:
        return f"tenax:{self.store}:attempts:{key}"


def build_names(store: str, settings: FetchSettings) -> RedisNames:
    seen_by = (settings.format_user_agent(), settings.resolve, settings.dns_servers)
    return RedisNames(store=store, view=xxh3_64_hexdigest(repr(seen_by).encode()))


def plan_ttl_ms(key: RedisKey, expires_at: Instant, now: Instant) -> int:
    """How long to keep a copy; 0: do not keep it."""
    return max(int(min(expires_at - now, key.ttl_s) * 1000), 0)
