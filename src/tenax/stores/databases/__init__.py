"""SQLite and PostgreSQL behind one door each: what a caller opens by the place of a store.

The modules here import the code of both databases and choose by `Place.backend`. Drivers and SQLAlchemy are
imported where they are first needed, so that choosing costs little. The stores of a crawl are chosen by
runtime/backends.py.
"""
