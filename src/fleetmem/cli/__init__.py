"""The `fleetmem` command."""
