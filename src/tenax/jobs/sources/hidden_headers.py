"""Headers whose value was shown as hidden, and came back so: it stays what it was, for whom it was meant.

Whoever changes a source may not know its secrets: to send them to others, they must be said again.
"""

from collections.abc import Callable, Iterator, Mapping

from tenax.config.masking import HIDDEN
from tenax.jobs.sources.definition import SourceDefinition, list_header_origins
from tenax.jobs.sources.definition_errors import BadDefinition, DefinitionFault


def check_hidden(definition: SourceDefinition, known: SourceDefinition | None) -> None:
    """`known`: as it is stored; None: it is not, or cannot be read. Raises BadDefinition."""
    faults = list(_find_faults(definition, known))
    if faults:
        raise BadDefinition([DefinitionFault(path=("headers",), message=each) for each in faults])


def plan_headers(
    definition: SourceDefinition,
    known: SourceDefinition | None,
    open_known: Callable[[], Mapping[str, str]],
) -> Mapping[str, str] | None:
    """What all headers say; None: all is as it was, so that nobody has to open it. Raises BadDefinition."""
    check_hidden(definition, known)
    hidden = _list_hidden(definition)
    if not hidden:
        return definition.headers
    if known is not None and len(hidden) == len(definition.headers) == len(known.headers):
        return None
    kept = open_known()
    return {**definition.headers, **{name: kept[name] for name in hidden}}


def _list_hidden(definition: SourceDefinition) -> list[str]:
    return [name for name, value in definition.headers.items() if value == HIDDEN]


def _find_faults(definition: SourceDefinition, known: SourceDefinition | None) -> Iterator[str]:
    kept = {} if known is None else known.headers
    meant_for = set() if known is None else list_header_origins(known)
    foreign = sorted(list_header_origins(definition) - meant_for)
    for name in _list_hidden(definition):
        if name not in kept:
            yield f"headers: {name} is {HIDDEN}, which stands for a value that is kept; none is."
        elif foreign:
            yield (
                f"headers: {name} is {HIDDEN}, and what is kept was never meant for {foreign[0]}: "
                "say its value again, or leave that origin out."
            )
