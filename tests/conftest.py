"""What every folder of tests shares: a real Postgres, and a way to tell what was measured."""

pytest_plugins = ["tests.postgres", "tests.measured"]
