"""The two shared records, beats and handoffs: their limits and their life. Pure: no I/O."""
