"""Sources as YAML: parsing, faults with their lines, and round trips."""

import pytest

from tenax.config.yaml_values import LARGEST_BYTES
from tenax.jobs.sources.definition import check_definition
from tenax.jobs.sources.files import BadSourceFile, format_sources, parse_sources

FILE = """\
# what we watch
- name: Example news
  seeds:
    - https://example.com/news/
    - https://example.com/blog/
  limits: {max_depth: 2, max_pages: 500}
  delay_s: 1.5
  schedule:
    interval_minutes: 6
    interval_type: hours
    active_hours: {days: [mon, fri], from: 08:00, until: 18:00}
- name: NO
  enabled: false
  seeds: [https://example.no/]
"""


def find_faults(text: str) -> list[str]:
    with pytest.raises(BadSourceFile) as caught:
        parse_sources(text, name="sources.yaml")
    return str(caught.value).splitlines()


def test_a_file_is_read() -> None:
    news, norway = parse_sources(FILE, name="sources.yaml")
    assert news.seeds[1] == "https://example.com/blog/"
    assert (news.limits.max_depth, news.delay_s) == (2, 1.5)
    assert news.schedule is not None
    assert news.schedule.active_hours is not None
    assert (news.schedule.active_hours.from_, news.schedule.active_hours.until) == ("08:00", "18:00")
    assert (norway.name, norway.enabled) == ("NO", False)


def test_an_empty_list_is_a_file() -> None:
    assert parse_sources("[]", name="sources.yaml") == []


def test_every_fault_is_reported_with_its_line() -> None:
    text = """\
- name: one
  seeds:
    - https://example.com/
    - not a url
  limts: {max_depth: 2}
- seeds: [https://example.com/]
- name: ONE
  seeds: [https://example.com/]
  schedule:
    interval_minutes: 0
    timezone: Nowhere
- name: One
  seeds: [https://example.com/]
  scope:
    exclude:
      - ok
      - "("
  extract:
    only: [main]
    without:
      - .clock
      - a ~ b
- name: one
  seeds: [https://example.com/]
- Name: x
"""
    assert find_faults(text) == [
        "sources.yaml:4: seeds.1: 'not a url' is not an http or https URL.",
        "sources.yaml:5: Unknown field limts: did you mean limits?",
        "sources.yaml:6: The field name is missing.",
        "sources.yaml:10: The field schedule.interval_minutes is not valid: input should be greater than or"
        " equal to 1 (got 0).",
        "sources.yaml:11: schedule.timezone: 'Nowhere' is not a known time zone: "
        "use a name such as Europe/Vienna.",
        "sources.yaml:17: scope.exclude.1: '(' is not a valid RE2 pattern: missing ): (.",
        "sources.yaml:22: extract.without.1: The selector 'a ~ b' cannot be used from '~ b' on. Use"
        " tags, .classes, #ids, [attributes], :first-child, :last-child and :not(…), with spaces, > or +"
        " between them.",
        "sources.yaml:25: The field name is missing.",
        "sources.yaml:25: The field seeds is missing.",
        "sources.yaml:25: Unknown field Name: did you mean name?",
    ]


def test_a_duplicate_name_is_reported_with_both_lines() -> None:
    text = "- name: one\n  seeds: [https://a.example/]\n- {name: ONE, seeds: [https://b.example/]}\n"
    assert find_faults(text) == ["sources.yaml:3: The name ONE is already used in line 1."]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "sources.yaml:1: The file must be a list of sources"),
        ("name: x", "sources.yaml:1: The file must be a list of sources"),
        ("- just text", "sources.yaml:1: A source must be a mapping of fields"),
        ("-\n- []", "sources.yaml:1: A source must be a mapping of fields"),
        ("- name: a\n  name: b", "sources.yaml:2: The field name is given twice."),
        ("- &x {name: a}\n- *x", "sources.yaml:1: Anchors (&) are not supported"),
        ("- *x", "sources.yaml:1: Aliases (*) are not supported"),
        ("- name: !!python/object:os.system x", "sources.yaml:1: Tags (!) are not supported"),
        ("- name: !!str x", "sources.yaml:1: Tags (!) are not supported"),
        ("- <<: {a: b}", "sources.yaml:1: Merge keys (<<) are not supported"),
        ("- ? [a]\n  : b", "sources.yaml:1: A field name must be a single value"),
        ("[]\n---\n[]", "sources.yaml:2: A second document"),
        ("- name: a\n  seeds: [", "sources.yaml:3: This is not YAML"),
        ("- name: a\n\tseeds: x", "sources.yaml:2: This is not YAML"),
        ("- name: 'a", "This is not YAML"),
        ("- \x00", "This is not YAML"),
        ("- \ud800", "This is not YAML"),
        ('- {name: "a\\0b", seeds: [https://a.example/]}', "sources.yaml:1: name: A name must be one line"),
        ("[" * 100_000, "sources.yaml:1: The file is nested more than 20 levels deep."),
        ("{a: " * 100_000, "sources.yaml:1: The file is nested more than 20 levels deep."),
        ("- " * 100_000, "sources.yaml:1: The file is nested more than 20 levels deep."),
        ("#" * (LARGEST_BYTES + 1), "sources.yaml:1: The file is larger than 5,000,000 bytes."),
        ("[" + "0," * 200_000 + "]", "sources.yaml:1: The file has more than 200,000 values."),
        ("- {}\n" * 10_001, "sources.yaml:1: The file has more than 10,000 sources."),
    ],
    ids=lambda text: repr(text)[:40],
)
def test_what_is_no_list_of_sources_is_refused(text: str, fault: str) -> None:
    assert fault in find_faults(text)[0]


def test_a_bomb_of_aliases_is_refused_before_it_goes_off() -> None:
    lines = ["- &a0 [x,x,x,x,x,x,x,x,x]"]
    lines += [f"- &a{n} [{','.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    assert find_faults("\n".join(lines))[0].startswith("sources.yaml:1: Anchors")


def test_seeds_that_may_not_be_requested_are_reported_with_their_lines() -> None:
    with pytest.raises(BadSourceFile, match=r"f:5: https://example.com/blog/: No\."):
        parse_sources(FILE, name="f", check_seed=lambda url: "No." if url.endswith("/blog/") else None)


def test_what_headers_say_is_not_written() -> None:
    definition = check_definition(
        {"name": "a", "seeds": ["https://a.example/"], "headers": {"X-Key": "s3cret"}}
    )
    (read,) = parse_sources(format_sources([definition]), name="f")
    assert read.headers == {"X-Key": "***"}


def test_a_file_plays_no_tricks_on_a_terminal_and_reads_back() -> None:
    evil = "\x1b]0;owned\x07 \u202eyllaer\u202c \x9b ü"
    definition = check_definition({"name": "news", "seeds": ["https://a.example/"], "description": evil})
    written = format_sources([definition])
    assert not {"\x1b", "\x07", "\u202e", "\u202c", "\x9b"} & set(written)
    assert "ü" in written
    assert parse_sources(written, name="file") == [definition]
