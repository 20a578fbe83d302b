"""Traces of a crawl in two processes reach a collector; one that is gone changes nothing about the crawl."""

from tests.flow.conftest import MakeCrawler
from tests.support.collector import open_collector, read_attributes
from tests.support.crawler import assert_complete, query
from tests.support.web import TestWeb

HOSTS = [f"h{number}.test" for number in range(4)]
DELAY = ("--delay", "0.02")


def test_every_visit_of_every_worker_is_traced_once(make_crawler: MakeCrawler) -> None:
    with TestWeb(hosts=HOSTS, pages_per_host=5) as web, open_collector() as collector:
        crawler = make_crawler(web, *DELAY, workers=2)
        ended = crawler.run(TENAX_TRACING__URL=collector.url, TENAX_TRACING__RATIO="1")
        assert ended.code == 0, ended.stderr
        assert_complete(crawler.data, web)
    visits = [read_attributes(span)["url.full"] for span in collector.list_spans() if span.name == "visit"]
    workers = {resource["service.instance.id"] for resource in collector.list_resources()}
    made = query(
        crawler.data,
        "SELECT u.url, w.uuid FROM visits v"
        " JOIN urls u ON u.id = v.url_id JOIN workers w ON w.id = v.worker_id",
    )
    assert sorted(visits) == sorted(url for url, _ in made)
    assert workers == {uuid for _, uuid in made}


def test_a_crawl_is_complete_without_its_collector(make_crawler: MakeCrawler) -> None:
    with open_collector() as collector:
        url = collector.url
    with TestWeb(hosts=HOSTS[:1], pages_per_host=5) as web:
        crawler = make_crawler(web, *DELAY)
        ended = crawler.run(TENAX_TRACING__URL=url, TENAX_TRACING__RATIO="1")
        assert ended.code == 0, ended.stderr
        assert_complete(crawler.data, web)
