"""Makes the candidate of a parser the parser of its source."""

from tenax.errors import UsageError
from tenax.jobs.sources.definition import SourceDefinition
from tenax.jobs.sources.sections import SourceParser


def has_candidate(definition: SourceDefinition, name: str) -> bool:
    return any(each.name == name for each in definition.candidates)


def promote(definition: SourceDefinition, name: str) -> SourceDefinition:
    """The definition with the candidate in the place of its parser. Raises UsageError: there is none."""
    candidate = next((each for each in definition.candidates if each.name == name), None)
    if candidate is None:
        raise UsageError(f"The source {definition.name} has no candidate for a parser {name}.")
    values = candidate.model_dump(mode="json", by_alias=True, exclude_defaults=True, exclude={"share"})
    promoted = SourceParser.model_validate(values)
    parsers = tuple(promoted if each.name == name else each for each in definition.parsers)
    others = tuple(each for each in definition.candidates if each.name != name)
    return definition.model_copy(update={"parsers": parsers, "candidates": others})
