"""The store in a PostgreSQL database (15 or newer), shared by workers on many machines.

Hot statements are text with arrays, through asyncpg; reports and migrations go through SQLAlchemy on the same
driver. All transactions take their locks in the order that frontier/urls.py names, which keeps settling
workers from waiting for each other in a circle; rows of `domains`, which many want, come late and are held
for a moment.
"""
