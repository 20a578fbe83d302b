"""The optional stages of a crawl, and the servers that some of them need."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from bench.crawlers import ONE_WORKER, Crawler, Task
from bench.paths import REPOSITORY
from bench.process import Command
from tests.support.collector import open_collector
from tests.support.redis_server import RedisServer


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """What switches it on. `{redis}` and `{collector}` stand for the addresses of these servers, `{data}` in
    an argument for a folder of the crawl."""

    name: str
    arguments: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)  # settings that have no option


# A new stage is one line here, and its cost one line in features.json (`python -m bench.features --record`).
STAGES = (
    Stage(name="include and exclude", arguments=("--include", "^http", "--exclude", "/private/")),
    Stage(name="merge rules", arguments=("--ignore-parameter", "sort", "--merge-trailing-slash")),
    Stage(
        name="text of some elements",
        arguments=("--only", "body", "--without", "ul", "--without", "nav", "--without", "aside"),
    ),
    Stage(
        name="response headers",
        environment={"TENAX_EXTRACT__RESPONSE_HEADERS": '["server", "last-modified"]'},
    ),
    Stage(name="near-duplicates", arguments=("--near-duplicates",)),
    Stage(name="guesses", arguments=("--archives", "--pagination")),
    Stage(name="limit of pages", arguments=("--max-pages", "1000000")),
    Stage(name="caches in Redis", arguments=("--redis", "{redis}")),
    Stage(name="traces", environment={"TENAX_TRACING__URL": "{collector}"}),
    Stage(name="profile", arguments=("--profile", "{data}/profile.json")),
    Stage(name="stored bodies", arguments=("--store-bodies",)),
)
PLAIN = Stage(name="plain")
PLAIN_AGAIN = Stage(name="plain, again")  # shows how much two runs of the same crawl differ
ALL = Stage(
    name="all of them",
    arguments=tuple(argument for stage in STAGES for argument in stage.arguments),
    environment={name: value for stage in STAGES for name, value in stage.environment.items()},
)

# Their pages are read in other processes: their cost is not one of the worker alone.
PARSERS = (
    Stage(
        name="parser",
        environment={
            "TENAX_PARSERS__FILES": f'["{REPOSITORY / "bench" / "parsers.py"}"]',
            "TENAX_PARSERS__USE": '["heading"]',
        },
    ),
    Stage(name="product parser", environment={"TENAX_PARSERS__USE": '["product"]'}),
    Stage(name="articles", environment={"TENAX_EXTRACT__ARTICLE": "always"}),
)


@contextmanager
def start_servers() -> Iterator[dict[str, str]]:
    """Yield the addresses of the servers by name."""
    with RedisServer() as redis, open_collector() as collector:
        yield {"redis": redis.url, "collector": collector.url}


def make_crawler(stage: Stage, servers: Mapping[str, str]) -> Crawler:
    def command(task: Task) -> Command:
        places = {**servers, "data": str(task.data)}
        return [*ONE_WORKER.command(task), *(_fill_in(argument, places) for argument in stage.arguments)]

    environment = {name: _fill_in(value, servers) for name, value in stage.environment.items()}
    return replace(ONE_WORKER, name=stage.name, command=command, environment=environment)


def _fill_in(text: str, places: Mapping[str, str]) -> str:
    for name, place in places.items():
        text = text.replace(f"{{{name}}}", place)
    return text
