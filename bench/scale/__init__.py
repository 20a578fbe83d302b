"""What a crawl costs on PostgreSQL: its workers, one and many of them, and the server itself."""
