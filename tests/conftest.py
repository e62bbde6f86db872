"""What every folder of tests shares: a real Postgres."""

pytest_plugins = ["tests.postgres"]
