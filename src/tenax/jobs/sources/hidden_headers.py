"""Headers that were shown hidden and come back hidden: they keep their value, for the same origins.

A user who changes a source may not know its secrets. To send a secret to other origins, its value must be
entered again.
"""

from collections.abc import Callable, Iterator, Mapping

from tenax.config.definition_faults import DefinitionFault
from tenax.config.masking import HIDDEN
from tenax.jobs.sources.definition import SourceDefinition, list_header_origins
from tenax.jobs.sources.definition_errors import BadDefinition


def check_hidden(definition: SourceDefinition, known: SourceDefinition | None) -> None:
    """Raises BadDefinition if a hidden header cannot keep its value. `known`: the stored definition; None if
    there is none, or it cannot be read."""
    faults = list(_find_faults(definition, known))
    if faults:
        raise BadDefinition([DefinitionFault(path=("headers",), message=each) for each in faults])


def plan_headers(
    definition: SourceDefinition,
    known: SourceDefinition | None,
    open_known: Callable[[], Mapping[str, str]],
) -> Mapping[str, str] | None:
    """The values of all headers; None if none changed, so that they need not be decrypted. Raises
    BadDefinition."""
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
            yield f"headers: {name} is {HIDDEN}, but there is no stored value to keep: enter its value."
        elif foreign:
            yield (
                f"headers: {name} is {HIDDEN}, but the stored value was not meant for {foreign[0]}: enter "
                "its value again, or remove that origin."
            )
