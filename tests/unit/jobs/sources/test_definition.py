"""Source definitions: their faults and messages, and the settings they produce."""

from typing import Any

import orjson
import pytest

from tenax.config.crawl import ScopeKind
from tenax.config.parsers import ParserSettings
from tenax.config.settings import Settings
from tenax.errors import ConfigError
from tenax.fetch.custom_headers import parse_headers
from tenax.items.registry import load_parsers
from tenax.jobs.sources.definition import (
    SourceDefinition,
    check_definition,
    dump_definition,
    format_definition,
    hide_headers,
    list_warnings,
    parse_definition,
    to_settings,
    with_headers,
)
from tenax.jobs.sources.definition_errors import BadDefinition

WHOLE: dict[str, Any] = {
    "name": "Zeitung ☃",
    "description": "All of it.",
    "seeds": ["https://example.com/news/", "http://example.org:8080/"],
    "scope": {"kind": "site", "include": ["/news/"], "exclude": [r"\.pdf$"]},
    "limits": {"max_depth": 4, "max_pages": 500, "pages_per_domain": 0},
    "extract": {
        "only": ["main > article", "h1"],
        "without": [".clock"],
        "content_types": ["application/pdf"],
        "pdf_pages": 20,
    },
    "delay_s": 2.5,
    "user_agent": "friendly/1.0",
    "contact": "ops@example.com",
    "headers": {"X-Api-Key": "s3cret", "Accept-Language": "de"},
    "feeds": True,
    "feed_interval_minutes": 15,
    "recrawl": "all",
    "schedule": {
        "interval_minutes": 6,
        "interval_type": "hours",
        "adaptive_scheduling": False,
        "timezone": "Europe/Vienna",
        "active_hours": {"days": ["mon", "fri"], "from": "22:00", "until": "06:30"},
        "max_retries": 1,
        "retry_backoff_seconds": 5,
        "priority": 1,
    },
}
LEAST: dict[str, Any] = {"name": "news", "seeds": ["https://example.com/"]}


def define(**fields: Any) -> SourceDefinition:
    return check_definition({**LEAST, **fields})


def test_a_definition_comes_back_from_json_as_it_was() -> None:
    definition = check_definition(WHOLE)
    assert parse_definition(format_definition(definition)) == hide_headers(definition)
    assert orjson.loads(format_definition(definition)) == {
        **WHOLE,
        "headers": {"X-Api-Key": "***", "Accept-Language": "***"},
    }


def test_little_has_to_be_said() -> None:
    definition = define()
    assert (definition.limits.max_depth, definition.enabled, definition.schedule) == (3, True, None)
    assert orjson.loads(format_definition(definition)) == LEAST


def test_seeds_are_normalised_as_the_crawler_does() -> None:
    assert define(seeds=[" HTTPS://Example.COM:443/a?utm_source=x#part "]).seeds == ("https://example.com/a",)


FAULTS: list[tuple[dict[str, Any], tuple[str | int, ...], str]] = [
    ({"name": ""}, ("name",), "at least 1 character"),
    ({"name": "x" * 101}, ("name",), "at most 100 characters"),
    ({"name": " news"}, ("name",), "without leading or trailing spaces"),
    ({"name": "a\nb"}, ("name",), "printable"),
    ({"name": None}, ("name",), "valid string"),
    ({"description": "a\0b"}, ("description",), "not valid text"),
    ({"description": "\ud800"}, ("description",), "valid string|no text"),
    ({"seeds": []}, ("seeds",), "at least 1 item"),
    ({"seeds": "https://example.com/"}, ("seeds",), "be a list"),
    ({"seeds": ["https://example.com/", "ftp://a.example/"]}, ("seeds", 1), "not an http or https URL"),
    ({"seeds": ["example.com"]}, ("seeds", 0), "not an http or https URL"),
    ({"seeds": [f"https://example.com/{'x' * 2000}"]}, ("seeds", 0), "longer than 2,000"),
    ({"scope": {"kind": "planet"}}, ("scope", "kind"), "'planet'"),
    ({"scope": {"include": ["ok", "("]}}, ("scope", "include", 1), r"'\(' is not a valid RE2 pattern"),
    ({"scope": {"exclude": [""]}}, ("scope", "exclude", 0), "empty, which would match every URL"),
    ({"scope": {"exclude": [r"(a)\1"]}}, ("scope", "exclude", 0), "not a valid RE2 pattern"),
    ({"limits": {"max_depth": -1}}, ("limits", "max_depth"), "greater than or equal to 0"),
    ({"limits": {"max_dept": 1}}, ("limits", "max_dept"), "did you mean max_depth"),
    ({"limits": {"max_pages": 0}}, ("limits", "max_pages"), "greater than or equal to 1"),
    (
        {"extract": {"only": ["p", "p:hover"]}},
        ("extract", "only", 1),
        "'p:hover' cannot be used from ':hover'",
    ),
    ({"extract": {"without": ["a, b"]}}, ("extract", "without", 0), "Give each selector separately"),
    ({"extract": {"without": ["p"] * 11}}, ("extract", "without"), "at most 10 items"),
    (
        {"extract": {"content_types": ["application/pdf", "application/msword"]}},
        ("extract", "content_types", 1),
        "application/pdf",
    ),
    ({"extract": {"pdf_pages": 0}}, ("extract", "pdf_pages"), "greater than or equal to 1"),
    ({"extract": {"onyl": []}}, ("extract", "onyl"), "did you mean only"),
    ({"delay_s": -1}, ("delay_s",), "greater than or equal to 0"),
    ({"delay_s": float("nan")}, ("delay_s",), "finite number|greater than or equal"),
    ({"user_agent": "a\r\nX: y"}, ("user_agent",), "printable"),
    ({"contact": ""}, ("contact",), "at least 1 character"),
    ({"headers": {"Host": "evil.example"}}, ("headers",), "Host cannot be set"),
    ({"headers": {"connection": "close"}}, ("headers",), "connection cannot be set"),
    ({"headers": {"Cookie2": "x"}}, ("headers",), "Cookie2 cannot be set"),
    ({"headers": {"X": "a\nb"}}, ("headers",), "printable"),
    ({"headers": {"X-A": "1", "x-a": "2"}}, ("headers",), "given twice"),
    ({"headers": {"X": 5}}, ("headers", "X"), "valid string"),
    ({"recrawl": "sometimes"}, ("recrawl",), "'new', 'due' or 'all'"),
    ({"schedule": {}}, ("schedule", "interval_minutes"), "is missing"),
    ({"schedule": {"interval_minutes": 0}}, ("schedule", "interval_minutes"), "greater than or equal to 1"),
    (
        {"schedule": {"interval_minutes": 367, "interval_type": "days"}},
        ("schedule",),
        "longer than 366 days",
    ),
    (
        {"schedule": {"interval_minutes": 1, "interval_type": "weeks"}},
        ("schedule", "interval_type"),
        "'minutes', 'hours' or 'days'",
    ),
    (
        {"schedule": {"interval_minutes": 1, "timezone": "Europe/Entenhausen"}},
        ("schedule", "timezone"),
        "is not a known time zone",
    ),
    (
        {"schedule": {"interval_minutes": 1, "timezone": "../../etc/passwd"}},
        ("schedule", "timezone"),
        "is not a known time zone",
    ),
    (
        {"schedule": {"interval_minutes": 1, "timezone": ""}},
        ("schedule", "timezone"),
        "is not a known time zone",
    ),
    (
        {"schedule": {"interval_minutes": 1, "timezone": "Europe"}},
        ("schedule", "timezone"),
        "is not a known time zone",
    ),
    (
        {"schedule": {"interval_minutes": 1, "active_hours": {"from": "8:00", "until": "25:00"}}},
        ("schedule", "active_hours", "from"),
        "should match pattern",
    ),
    (
        {"schedule": {"interval_minutes": 1, "active_hours": {"from": "08:00", "until": "08:00"}}},
        ("schedule", "active_hours"),
        "end when they start",
    ),
    (
        {"schedule": {"interval_minutes": 1, "active_hours": {"form": "08:00", "until": "09:00"}}},
        ("schedule", "active_hours", "form"),
        "did you mean from",
    ),
    (
        {"schedule": {"interval_minutes": 1, "priority": 11}},
        ("schedule", "priority"),
        "less than or equal to",
    ),
    ({"sede": ["x"]}, ("sede",), "did you mean seeds"),
    ({"colour": "red"}, ("colour",), "the known fields are name, description"),
]


@pytest.mark.parametrize(("fields", "path", "sentence"), FAULTS, ids=lambda value: repr(value)[:60])
def test_what_cannot_work_is_refused_with_a_sentence(
    fields: dict[str, Any], path: tuple[str | int, ...], sentence: str
) -> None:
    with pytest.raises(BadDefinition, match=sentence) as caught:
        define(**fields)
    first = caught.value.faults[0]
    assert first.path == path
    assert first.message.endswith((".", "?"))
    assert "\n" not in first.message


def test_all_faults_are_reported_at_once() -> None:
    with pytest.raises(BadDefinition) as caught:
        check_definition({"name": "", "seeds": ["x", "https://fine.example/", "y"], "colour": "red"})
    assert [fault.path for fault in caught.value.faults] == [
        ("name",),
        ("seeds", 0),
        ("seeds", 2),
        ("colour",),
    ]


def test_a_seed_that_is_none_is_blamed_once() -> None:
    with pytest.raises(BadDefinition) as caught:
        define(seeds=["x"])
    assert [fault.path for fault in caught.value.faults] == [("seeds", 0)]


@pytest.mark.parametrize("text", ["", "[]", "null", '"x"', "{", '{"name": NaN}'])
def test_what_is_no_definition_at_all_is_refused(text: str) -> None:
    with pytest.raises(ConfigError):
        parse_definition(text)


def test_no_fault_reveals_a_secret() -> None:
    for headers in ({"X-Key": "s3cret\n"}, {"X-Key": ["s3cret"]}, {"Host": "s3cret"}, ["s3cret"]):
        with pytest.raises(BadDefinition) as caught:
            define(headers=headers)
        assert "s3cret" not in str(caught.value)


# --- what it makes of the settings -------------------------------------------------------------------


def test_what_is_said_stands_above_the_servers_settings() -> None:
    settings = to_settings(check_definition(WHOLE), Settings())
    assert settings.scope.kind is ScopeKind.SITE
    assert settings.scope.exclude == (r"\.pdf$",)
    limits = settings.limits
    assert (limits.max_depth, limits.max_pages, limits.pages_per_domain) == (4, 500, 0)
    assert settings.extract.only == ("main > article", "h1")
    assert settings.extract.without == (".clock",)
    assert settings.extract.reads_pdf
    assert settings.extract.pdf_pages == 20
    assert settings.politeness.delay_s == 2.5
    assert settings.fetch.format_user_agent() == "friendly/1.0"


def test_what_is_left_out_is_as_the_server_has_it() -> None:
    given = {
        "scope": {"kind": "host", "exclude": ["/private/"]},
        "limits": {"max_depth": 9, "max_pages": 7, "url_length": 100},
        "extract": {"only": ["main"]},
        "politeness": {"delay_s": 4.0},
        "fetch": {"contact": "me@example.com"},
    }
    base = Settings.model_validate(given)
    # Only the depth has a default of its own.
    limits = base.limits.model_copy(update={"max_depth": 3})
    assert to_settings(define(), base) == base.model_copy(update={"limits": limits})


def test_headers_are_for_the_origins_of_the_seeds() -> None:
    definition = check_definition(WHOLE)
    own = parse_headers(with_headers(Settings(), definition, definition.headers).fetch)
    assert own is not None
    assert own.origins == {"https://example.com", "http://example.org:8080"}
    assert own.lines == [b"X-Api-Key: s3cret", b"Accept-Language: de"]


def test_a_run_does_not_keep_the_headers_and_a_worker_gets_them_back() -> None:
    definition = check_definition(WHOLE)
    kept = to_settings(definition, Settings()).model_dump_json()
    assert "s3cret" not in kept
    again = with_headers(Settings.model_validate_json(kept), definition, definition.headers)
    assert again.fetch.headers[0] == "X-Api-Key: s3cret"


def test_what_people_see_holds_no_secret() -> None:
    assert dump_definition(check_definition(WHOLE)) == {
        **WHOLE,
        "headers": {"X-Api-Key": "***", "Accept-Language": "***"},
    }


# --- warnings ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "warning"),
    [
        ({"limits": {"max_depth": 6}}, "max_depth is 6"),
        ({"delay_s": 0}, "delay_s is 0"),
        ({"seeds": ["http://example.com/"], "headers": {"X-Key": "1"}}, "read in transit"),
    ],
)
def test_what_is_perhaps_not_meant_is_a_warning(fields: dict[str, Any], warning: str) -> None:
    (found,) = list_warnings(define(**fields))
    assert warning in found


def test_an_ordinary_source_has_no_warnings() -> None:
    assert list_warnings(define(limits={"max_depth": 5}, headers={"X-Key": "1"})) == []


LIST = {"name": "list", "patterns": "/list/*", "fields": {"name": "h1", "price": {"css": ".p"}}}


def test_parsers_are_installed_ones_or_defined_in_place() -> None:
    definition = check_definition({"name": "a", "seeds": ["https://a.example/"], "parsers": ["shop", LIST]})
    settings = to_settings(definition, Settings())
    assert settings.parsers.use == ("shop",)
    assert [parser.name for parser in load_parsers(settings.parsers.model_copy(update={"use": ()}))] == [
        "list"
    ]
    assert parse_definition(format_definition(definition)) == definition


def test_a_source_without_parsers_takes_those_of_the_server() -> None:
    definition = check_definition({"name": "a", "seeds": ["https://a.example/"]})
    base = Settings(parsers=ParserSettings(use=("shop",)))
    assert to_settings(definition, base).parsers.use == ("shop",)


@pytest.mark.parametrize(
    ("parsers", "message"),
    [
        ([{"name": "shop", "kind": "x"}], "parsers.0: A parser without fields is an installed one"),
        (["list", LIST], "The parser list is given twice."),
        ([{**LIST, "key": "id"}], "parsers.0: The key 'id' is not one of the fields."),
        ([{"name": "a", "fields": {"x": {"csss": "h1"}}}], "parsers.0.fields.x.csss: did you mean css?"),
        (["../shop"], "The field parsers.0.name is not valid"),
    ],
)
def test_parsers_that_cannot_work_are_refused(parsers: list[Any], message: str) -> None:
    with pytest.raises(BadDefinition) as refused:
        check_definition({"name": "a", "seeds": ["https://a.example/"], "parsers": parsers})
    assert message in str(refused.value)
