"""`tenax rebuild-seen`."""

import asyncio
from functools import partial

from tenax.cli.options import ConfigOption, DataOption, RedisOption, StoreOption, new_app
from tenax.cli.show.render import show
from tenax.config.loading import load_settings
from tenax.config.settings import Values
from tenax.runtime.seen_filter import refill_seen
from tenax.runtime.settings import check_settings
from tenax.stores.place import find_place
from tenax.stores.queries.urls import iter_url_keys
from tenax.wording import count_of

# Nobody waits for it: a slow Redis may take its time.
TIMEOUT_S = 10.0

app = new_app()


@app.command("rebuild-seen")
def rebuild(
    data: DataOption = None,
    store: StoreOption = None,
    redis: RedisOption = None,
    config: ConfigOption = None,
) -> None:
    """Fill the seen filter in Redis from the store, newest urls first. Crawls may go on meanwhile.

    Never needed: a filter that was lost fills itself as the crawl goes on. Run it to be fast at once, and
    after a store was set back to an earlier state, of which the filter still knows too much."""
    overrides: Values = {"redis": {"timeout_s": TIMEOUT_S, **({"url": redis} if redis else {})}}
    settings = load_settings(file=config, overrides=overrides)
    check_settings(settings)
    # Not to the brim: a bucket that overflows is emptied.
    limit = settings.redis.seen_urls * 3 // 4
    place = find_place(store or settings.store.url, data)
    known = asyncio.run(refill_seen(place, settings, partial(iter_url_keys, limit=limit)))
    show(f"The seen filter knows {count_of(known, 'url')}.")
