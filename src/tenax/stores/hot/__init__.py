"""What SQLite and PostgreSQL share on the path of a crawl. No SQLAlchemy: it would slow down every start."""
