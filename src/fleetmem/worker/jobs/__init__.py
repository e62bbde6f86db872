"""The jobs, one kind a file: each a function of ids, which may be repeated at any time and comes to the same."""
