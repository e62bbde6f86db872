"""How to reach a database, in the words of each driver."""

from dataclasses import dataclass, field
from typing import TypedDict


class PsycopgArguments(TypedDict, total=False):
    """Keyword arguments of `psycopg.connect`; the same shape as `admin.database.Conninfo`."""

    host: str
    port: int
    user: str
    password: str
    dbname: str
    sslmode: str
    sslrootcert: str


class AsyncpgArguments(TypedDict):
    """Keyword arguments of `asyncpg.connect` and `asyncpg.create_pool`."""

    host: str
    port: int
    user: str
    password: str
    database: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnInfo:
    """One login at one database; `host` is a socket directory where it begins with a slash."""

    host: str
    port: int
    user: str
    password: str = field(repr=False)
    dbname: str

    def psycopg(self) -> PsycopgArguments:
        """Return what `psycopg.connect(**…)` takes."""
        return {
            "host": self.host,
            "port": self.port,
            "user": self.user,
            "password": self.password,
            "dbname": self.dbname,
        }

    def asyncpg(self) -> AsyncpgArguments:
        """Return what `asyncpg.connect(**…)` takes."""
        return {
            "host": self.host,
            "port": self.port,
            "user": self.user,
            "password": self.password,
            "database": self.dbname,
        }
