"""What the commands about sources share: how they open a store, find a source and show warnings."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

from tenax.cli.show.render import show
from tenax.config.loading import load_settings
from tenax.errors import UsageError
from tenax.jobs.sources.definition import SourceDefinition, list_warnings
from tenax.jobs.sources.sources import Sources
from tenax.records.jobs import Source
from tenax.runtime.backends import find_backend
from tenax.runtime.server import open_server_runtime
from tenax.stores.place import Place
from tenax.visible import clean

T = TypeVar("T")


def run_on_sources(
    place: Place, work: Callable[[Sources], Awaitable[T]], *, creates_store: bool = False
) -> T:
    """`creates_store`: create a missing store instead of refusing it."""
    if not creates_store:
        find_backend(place).refuse_missing(place)
    return asyncio.run(_run(place, work))


async def _run(place: Place, work: Callable[[Sources], Awaitable[T]]) -> T:
    async with open_server_runtime(place, load_settings()) as server_runtime:
        return await work(Sources(place, server_runtime.access, server_runtime.coordination))


async def get_source(sources: Sources, name: str, place: Place) -> Source:
    found = await sources.find_by_name(name)
    if found is None:
        raise UsageError(f"There is no source {clean(name)} in {place}; 'tenax sources' lists them.")
    return found


def show_warnings(definitions: Iterable[SourceDefinition]) -> None:
    for definition in definitions:
        for warning in list_warnings(definition):
            show(f"Warning for {clean(definition.name)}: {warning}")
