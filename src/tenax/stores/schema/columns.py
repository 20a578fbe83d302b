"""What the tables of all rooms share."""

from sqlalchemy import BigInteger, Integer, MetaData

metadata = MetaData()

# SQLite makes only a column declared INTEGER the row id, and its integers have 64 bits anyway.
Id = BigInteger().with_variant(Integer(), "sqlite")
