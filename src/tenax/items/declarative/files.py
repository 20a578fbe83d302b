"""Definitions of parsers in a file: one in YAML or JSON, or a list of them. All faults are reported at once,
with their lines."""

from collections.abc import Sequence
from typing import Any, Final

from pydantic import ValidationError

from tenax.config.definition_faults import list_faults
from tenax.config.yaml_values import YamlFault, YamlValues, parse_yaml
from tenax.errors import ConfigError
from tenax.items.declarative.definition import ParserDefinition
from tenax.policy.patterns import PatternBudget

MAX_PARSERS: Final = 100
MAX_FAULTS: Final = 100
_FORM: Final = "The file must be a parser with a name and fields, or a list of parsers."


class BadParserFile(ConfigError):
    """The file with parsers cannot be used."""

    def __init__(self, name: str, faults: Sequence[YamlFault]) -> None:
        super().__init__("\n".join(f"{name}:{fault.line}: {fault.message}" for fault in faults))
        self.faults = faults


def read_definition(value: Any) -> ParserDefinition:
    """Read a definition as it is kept in settings. Raises ConfigError with a sentence per fault."""
    try:
        return ParserDefinition.model_validate(value, context=PatternBudget())
    except ValidationError as error:
        faults = list_faults(error, ParserDefinition, "parser")
        name = value.get("name") if isinstance(value, dict) else None
        raise ConfigError(
            " ".join([f"The parser {str(name)[:100]} cannot be used.", *(fault.message for fault in faults)])
        ) from error


def parse_definitions(text: str, *, name: str) -> list[ParserDefinition]:
    """Parse a file called `name`. Raises BadParserFile with every fault, one per line."""
    read = parse_yaml(text)
    faults = list(read.faults)
    found: list[ParserDefinition] = []
    if not faults:
        entries = read.value if isinstance(read.value, list) else [read.value]
        if not entries or len(entries) > MAX_PARSERS or not isinstance(read.value, list | dict):
            faults.append(YamlFault(line=1, message=_FORM))
        else:
            budget = PatternBudget()
            found = [
                each for n, value in enumerate(entries) for each in _read(value, n, read, budget, faults)
            ]
    if faults:
        raise BadParserFile(name, sorted(faults, key=lambda fault: fault.line)[:MAX_FAULTS])
    return found


def _read(
    value: Any, number: int, read: YamlValues, budget: PatternBudget, faults: list[YamlFault]
) -> list[ParserDefinition]:
    try:
        return [ParserDefinition.model_validate(value, context=budget)]
    except ValidationError as error:
        start = (number,) if isinstance(read.value, list) else ()
        faults += [
            YamlFault(line=read.find_line((*start, *fault.path)), message=fault.message)
            for fault in list_faults(error, ParserDefinition, "parser")
        ]
        return []
