"""Sources as YAML: what is read, what is refused at which line, and that what is written reads the same."""

import contextlib

from hypothesis import given, settings
from hypothesis import strategies as st

from tenax.config.yaml_values import format_yaml, parse_yaml
from tenax.jobs.sources.definition import SourceDefinition
from tenax.jobs.sources.files import BadSourceFile, format_sources, parse_sources

WORDS = (
    "no yes on ~ null 1e3 0x10 0o7 1_000 18:00 2026-01-01 << = *a &a 1 1. .5 -0 +1 1.5e+3 .inf true True x:"
)


TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=20) | st.sampled_from(
    [*WORDS.split(), "- a", "a: b", "# a", "", " a ", "a\nb"]
)


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**17), 10**17)
    | st.floats(allow_nan=False, allow_infinity=False, min_value=-1e17, max_value=1e17)
    | TEXTS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(TEXTS.filter(lambda text: text != "<<"), inner, max_size=4)
    ),
    max_leaves=20,
)


@given(VALUES)
@settings(max_examples=300, deadline=None)
def test_what_is_written_reads_the_same(value: object) -> None:
    read = parse_yaml(format_yaml(value))
    assert (read.value, read.faults) == (value, [])


@given(TEXTS.filter(lambda text: text.strip() == text and text.isprintable() and text), TEXTS)
@settings(max_examples=100, deadline=None)
def test_an_exported_source_comes_back_as_it_was(name: str, description: str) -> None:
    definition = SourceDefinition(name=name, description=description, seeds=("https://a.example/",))
    assert parse_sources(format_sources([definition]), name="f") == [definition]


@given(st.text(max_size=200) | st.text("-[]{}:,&*!|>'\"#%@ \n\tab0", max_size=40))
@settings(max_examples=300, deadline=None)
def test_whatever_the_text_it_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(BadSourceFile):
        parse_sources(text, name="f")
