"""`tenax migrate`."""

from tenax.cli.options import DataOption, StoreOption, locate, new_app
from tenax.cli.show.render import show
from tenax.runtime.backends import find_backend
from tenax.stores.schema.migrations import REVISION

app = new_app()


@app.command()
def migrate(data: DataOption = None, store: StoreOption = None) -> None:
    """Create the tables of a database, or upgrade them. A data directory never needs it: `tenax crawl`
    upgrades it. Stop the workers of a database first. Repeating is safe.
    """
    place = locate(store, data)
    find_backend(place).migrate(place)
    show(f"{place} has schema {REVISION}.")
