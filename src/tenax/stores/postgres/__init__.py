"""The store in a PostgreSQL database (15 or newer), shared by workers on many machines.

Hot statements are text with arrays, through asyncpg; reports and migrations go through SQLAlchemy on the same
driver. Rows of `domains` are always locked in the order of their ids, and whoever adds urls to a domain holds
its row: that is why settling workers never wait for each other in a circle.
"""
