"""fleetmem: a Postgres-backed governed memory service for fleets of AI agents."""

from importlib.metadata import version

__version__ = version("fleetmem")
