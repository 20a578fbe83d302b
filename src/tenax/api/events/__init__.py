"""Server-sent events: what happens in the crawl and the service, streamed to every subscriber."""
