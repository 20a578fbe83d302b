"""The same work for Crawlee: title, description, visible text, every link within the hosts followed.

Runs in an environment of its own. Called with a file of seeds and the file for the JSON lines.
Written for speed where Crawlee leaves a choice: lxml (parsel) instead of BeautifulSoup, everything in
memory, no sessions, no adaptive concurrency, requests given as plain URLs, no log.
"""

import asyncio
import json
import sys
from datetime import timedelta
from pathlib import Path
from urllib.parse import urljoin

from crawlee import ConcurrencySettings
from crawlee.crawlers import ParselCrawler, ParselCrawlingContext
from crawlee.storage_clients import MemoryStorageClient

CONCURRENCY = 100
TEXT = "//body//text()[not(parent::script or parent::style)]"


async def crawl(seeds: list[str], output: Path) -> None:
    crawler = ParselCrawler(
        storage_client=MemoryStorageClient(),
        concurrency_settings=ConcurrencySettings(
            min_concurrency=CONCURRENCY, max_concurrency=CONCURRENCY, desired_concurrency=CONCURRENCY
        ),
        respect_robots_txt_file=True,
        use_session_pool=False,
        retry_on_blocked=False,
        configure_logging=False,
        status_message_logging_interval=timedelta(hours=1),
    )
    with output.open("w") as lines:

        @crawler.router.default_handler
        async def handle(context: ParselCrawlingContext) -> None:
            url, selector = context.request.url, context.selector
            links = {urljoin(url, href).partition("#")[0] for href in selector.xpath("//a/@href").getall()}
            item = {
                "url": url,
                "title": selector.xpath("//title/text()").get(),
                "description": selector.xpath("//meta[@name='description']/@content").get(),
                "text": " ".join(" ".join(selector.xpath(TEXT).getall()).split()),
                "links": len(links),
            }
            lines.write(json.dumps(item) + "\n")
            await context.add_requests(list(links))

        await crawler.run(seeds)


if __name__ == "__main__":
    asyncio.run(crawl(Path(sys.argv[1]).read_text().split(), Path(sys.argv[2])))
