"""The connection that functions of a store take. Other rooms pass it through and call nothing on it."""

from sqlalchemy import Connection

__all__ = ["Connection"]
