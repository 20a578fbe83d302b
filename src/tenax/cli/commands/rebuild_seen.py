"""`tenax rebuild-seen`."""

import asyncio
from functools import partial
from typing import Annotated

import typer

from tenax.cli.options import ConfigOption, DataOption, StoreOption, default_of, new_app
from tenax.cli.show.render import show
from tenax.config.loading import load_settings
from tenax.config.settings import Values
from tenax.runtime.seen_filter import refill_seen
from tenax.runtime.settings import check_settings
from tenax.stores.place import find_place
from tenax.stores.queries.urls import iter_url_keys
from tenax.wording import count_of

# No crawl waits for it: Redis may be slow.
TIMEOUT_S = 10.0

app = new_app()


@app.command("rebuild-seen")
def rebuild(
    data: DataOption = None,
    store: StoreOption = None,
    redis: Annotated[
        str | None,
        typer.Option("--redis", metavar="URL", help="Redis to fill.", show_default=default_of("redis.url")),
    ] = None,
    config: ConfigOption = None,
) -> None:
    """Rebuild the seen filter in Redis from the store, newest urls first. Crawls may continue meanwhile.

    It is never required: a lost filter fills up again as the crawl proceeds. Run it to be fast at once, and
    after a store was restored to an earlier state, when the filter still knows urls that the store does
    not."""
    overrides: Values = {"redis": {"timeout_s": TIMEOUT_S, **({"url": redis} if redis else {})}}
    settings = load_settings(file=config, overrides=overrides)
    check_settings(settings)
    # Not completely full: a bucket that overflows is emptied.
    limit = settings.redis.seen_urls * 3 // 4
    place = find_place(store or settings.store.url, data)
    known = asyncio.run(refill_seen(place, settings, partial(iter_url_keys, limit=limit)))
    show(f"The seen filter knows {count_of(known, 'url')}.")
