"""The picture that every table is drawn in, and the shapes of column that they share."""

from typing import Any

from sqlalchemy import ARRAY, Column, DateTime, ForeignKey, MetaData, Text, Uuid, text

metadata = MetaData()


def words(name: str, *args: object, **options: object) -> Column[str]:
    """A text, not null unless told."""
    return Column(name, Text, *args, nullable=bool(options.pop("nullable", False)), **options)  # type: ignore[arg-type]


def several(name: str, default: str | None = "'{}'") -> Column[Any]:
    """A list of texts, empty unless told."""
    return Column(name, ARRAY(Text), nullable=False, server_default=text(default) if default else None)


def moment(name: str, *, nullable: bool = False, default: str | None = None) -> Column[object]:
    """A time with its zone."""
    return Column(name, DateTime(timezone=True), nullable=nullable, server_default=text(default) if default else None)


def to(table: str, name: str, *, nullable: bool = False, primary_key: bool = False) -> Column[Any]:
    """A reference: by name to who and what the roster names, by id to everything else."""
    key = "name" if table in {"audience", "principal", "team"} else "id"
    of: Any = Text if key == "name" else Uuid
    return Column(name, of, ForeignKey(f"fleet.{table}.{key}"), nullable=nullable, primary_key=primary_key)
