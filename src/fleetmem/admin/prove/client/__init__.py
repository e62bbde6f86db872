"""The first way: through the client library, as an agent's own program would try it."""
