"""The worker: distils closed segments, routes, lands, and watches. psycopg and procrastinate; it never opens the gateway's driver."""
