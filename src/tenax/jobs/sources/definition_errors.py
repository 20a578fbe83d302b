"""What is raised about definitions of sources that cannot be used."""

from collections.abc import Sequence

from tenax.config.definition_faults import DefinitionFault
from tenax.errors import ConfigError


class BadDefinition(ConfigError):
    """The definition of the source is not valid."""

    def __init__(self, faults: Sequence[DefinitionFault]) -> None:
        super().__init__(" ".join(fault.message for fault in faults))
        self.faults = faults


class UnreadableSource(BadDefinition):
    """A stored source cannot be read by this version, perhaps because a newer one wrote it."""

    def __init__(self, name: str, faults: Sequence[DefinitionFault]) -> None:
        super().__init__(faults)
        self.args = (f"The source {name!r} cannot be read by this version of Tenax. {self}",)
