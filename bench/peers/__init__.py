"""Other ways to build the same service, measured beside ours; each runs in an environment of its own."""
