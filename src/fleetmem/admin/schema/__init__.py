"""The tables as SQLAlchemy sees them, so that `alembic check` can hold the migrations to one picture.

Nothing runs queries through these. Policies, grants, triggers and functions are not here: they live in policies/fence. Nor
is the queue, whose tables are procrastinate's.
"""

from fleetmem.admin.schema import board, memory, work
from fleetmem.admin.schema.columns import metadata

__all__ = ["board", "memory", "metadata", "work"]
