"""The addresses of both services, one module a noun."""
