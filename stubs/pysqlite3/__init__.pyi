from . import dbapi2 as dbapi2
