"""The type of the connection that functions of a store take. Other packages pass it through and call nothing
on it.
"""

from sqlalchemy import Connection

__all__ = ["Connection"]
