"""fleetmem: a Postgres-backed governed memory service for fleets of AI agents."""

__all__ = ["__version__"]


def __getattr__(name: str) -> str:
    """Look `__version__` up when somebody asks: reading package metadata would slow every command's start."""
    if name == "__version__":
        from importlib.metadata import version  # noqa: PLC0415

        return version("fleetmem")
    raise AttributeError(name)
