"""Alembic's entry: runs the migrations on the connection that `fleetmem.admin.migrate` hands over.

There is no ini file and no URL here: a migration run by hand, outside the owner's command, would skip the roles that the
tables are given to.
"""

from alembic import context

from fleetmem.admin.schema import metadata

connection = context.config.attributes["connection"]
context.configure(
    connection=connection,
    target_metadata=metadata,
    include_schemas=True,
    version_table="migration",
    version_table_schema="fence",
    compare_type=True,
)
with context.begin_transaction():
    context.run_migrations()
