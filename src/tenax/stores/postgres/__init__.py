"""The store in a PostgreSQL database (15 or newer), shared by workers on many machines.

Hot statements are text with arrays, through asyncpg; reports and migrations go through SQLAlchemy on the same
driver. All transactions take their locks in the order that frontier/urls.py describes, which keeps settling
workers from deadlocks; rows of `domains`, which many need, are locked late and briefly.
"""
