from sqlite3.dbapi2 import *  # noqa: F403
