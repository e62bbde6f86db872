"""The asyncpg door to the database: pool, session, and one module of functions a noun."""
