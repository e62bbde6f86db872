"""Alembic's entry: runs the migrations on the connection that `fleetmem.admin.migrate` hands over.

There is no ini file and no URL here: a migration run by hand, outside the owner's command, would skip the roles that the
tables are given to.
"""

from alembic import context

from fleetmem.admin.schema import metadata


def _is_ours(name: str | None, kind: str, _parents: object) -> bool:
    """Leave the queue out of comparisons: its tables are procrastinate's."""
    return kind != "schema" or name != "queue"


connection = context.config.attributes["connection"]
context.configure(
    connection=connection,
    target_metadata=metadata,
    include_schemas=True,
    include_name=_is_ours,
    version_table="migration",
    version_table_schema="fence",
    compare_type=True,
)
with context.begin_transaction():
    context.run_migrations()
