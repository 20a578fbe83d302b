"""Sources as a file: a YAML list of definitions. All faults are reported at once, with their lines."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from tenax.config.yaml_values import YamlFault, YamlValues, format_yaml, parse_yaml
from tenax.errors import ConfigError
from tenax.jobs.sources.definition import SourceDefinition, check_definition, dump_definition, read_definition
from tenax.jobs.sources.definition_errors import BadDefinition, UnreadableSource
from tenax.policy.patterns import PatternBudget
from tenax.records.jobs import Source
from tenax.wording import fold_name

MOST_SOURCES: Final = 10_000
SHARED_BUDGETS: Final = (
    20  # the cost limit for the patterns of a whole file, in multiples of one source's limit
)
MOST_FAULTS: Final = 1000  # more than anyone reads
_FORM: Final = "The file must be a list of sources, each with a name and seeds."

SeedCheck = Callable[[str], str | None]  # returns what is wrong with a seed; None: nothing


class BadSourceFile(ConfigError):
    """The file cannot be used."""

    def __init__(self, name: str, faults: Sequence[YamlFault]) -> None:
        super().__init__("\n".join(f"{name}:{fault.line}: {fault.message}" for fault in faults))
        self.faults = faults


def parse_sources(text: str, *, name: str, check_seed: SeedCheck | None = None) -> list[SourceDefinition]:
    """Parse a file called `name`. Raises BadSourceFile with every fault, one per line."""
    read = parse_yaml(text)
    faults = list(read.faults) or _find_misshapen(read)
    found: list[tuple[int, SourceDefinition]] = []
    if not faults:
        budget = PatternBudget(crawls=SHARED_BUDGETS)
        for number, value in enumerate(read.value):
            definition = _check(value, number, read, budget, faults)
            if definition is not None:
                found.append((number, definition))
        faults += _find_duplicates(found, read)
        faults += _find_bad_seeds(found, read, check_seed)
    if faults:
        raise BadSourceFile(name, sorted(faults, key=lambda fault: fault.line)[:MOST_FAULTS])
    return [definition for _, definition in found]


def format_sources(definitions: Sequence[SourceDefinition], *, with_headers: bool = False) -> str:
    """Format definitions, with header values hidden unless requested: `***` keeps the stored value."""
    return format_yaml([dump_definition(each, with_headers=with_headers) for each in definitions])


def format_stored(
    sources: Sequence[Source], open_headers: Callable[[Source], Mapping[str, str]] | None = None
) -> str:
    """Format stored sources; those that cannot be read are listed in comments. `open_headers`: to include
    header values."""
    found = [(source, read_definition(source)) for source in sources]
    lost = [f"# Left out. {_flatten(str(each))}\n" for _, each in found if isinstance(each, UnreadableSource)]
    readable = [(source, each) for source, each in found if isinstance(each, SourceDefinition)]
    if open_headers is None:
        return "".join(lost) + format_sources([each for _, each in readable])
    opened = [each.model_copy(update={"headers": dict(open_headers(source))}) for source, each in readable]
    return "".join(lost) + format_sources(opened, with_headers=True)


def _flatten(sentence: str) -> str:
    """Put it on one line: it may quote field names."""
    return "".join(each if each.isprintable() else " " for each in sentence)


def _find_misshapen(read: YamlValues) -> list[YamlFault]:
    if not isinstance(read.value, list):
        return [YamlFault(line=read.find_line(()), message=_FORM)]
    if len(read.value) > MOST_SOURCES:
        return [YamlFault(line=1, message=f"The file has more than {MOST_SOURCES:,} sources.")]
    return []


def _check(
    value: Any, number: int, read: YamlValues, budget: PatternBudget, faults: list[YamlFault]
) -> SourceDefinition | None:
    try:
        return check_definition(value, budget)
    except BadDefinition as error:
        faults += [
            YamlFault(line=read.find_line((number, *fault.path)), message=fault.message)
            for fault in error.faults
        ]
        return None


def _find_duplicates(found: Sequence[tuple[int, SourceDefinition]], read: YamlValues) -> list[YamlFault]:
    faults = []
    seen: dict[str, int] = {}
    for number, definition in found:
        line = read.find_line((number, "name"))
        first = seen.setdefault(fold_name(definition.name), line)
        if first != line:
            message = f"The name {definition.name} is already used in line {first}."
            faults.append(YamlFault(line=line, message=message))
    return faults


def _find_bad_seeds(
    found: Sequence[tuple[int, SourceDefinition]], read: YamlValues, check_seed: SeedCheck | None
) -> list[YamlFault]:
    if check_seed is None:
        return []
    return [
        YamlFault(line=read.find_line((number, "seeds", place)), message=f"{seed}: {fault}")
        for number, definition in found
        for place, seed in enumerate(definition.seeds)
        if (fault := check_seed(seed)) is not None
    ]
