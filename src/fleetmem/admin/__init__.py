"""The owner's operations: the embedded server, migrations, policies, roster, keys and proof."""
