"""What a server is told: its configuration, and who may connect how."""

from dataclasses import dataclass

from fleetmem.admin.postgres.place import Place

# A statement's text, its parameters and a failing row may hold what only some agents may know, and a log is read by
# whoever runs the machine: what goes wrong is logged, never whose words it went wrong with.
_PRIVATE_LOG = {
    "log_statement": "none",
    "log_min_duration_statement": "-1",
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
    "log_parameter_max_length": "0",
    "log_parameter_max_length_on_error": "0",
}
_COMMON = {
    "max_connections": "100",
    "max_prepared_transactions": "0",
    "shared_buffers": "128MB",
    "jit": "off",
    "password_encryption": "scram-sha-256",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "lc_messages": "C",
    "log_min_messages": "warning",
    "log_line_prefix": "%m [%p] %q%u@%d ",
    "logging_collector": "off",
    "log_destination": "stderr",
}
# Survives a crash of the server and not one of the machine: for throw-away fleets alone. Commits stay synchronous, since
# without fsync they cost nothing and a killed server would lose them.
_FAST = {"fsync": "off", "full_page_writes": "off"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Listening:
    """The socket's number and, where `tcp` is true, the port on 127.0.0.1."""

    port: int
    tcp: bool


def configuration(place: Place, listening: Listening, *, fast: bool) -> str:
    """Return the text of postgresql.conf."""
    settings = {
        "data_directory": str(place.data),
        "hba_file": str(place.hba),
        "listen_addresses": "127.0.0.1" if listening.tcp else "",
        "port": str(listening.port),
        "unix_socket_directories": str(place.sockets),
        "unix_socket_permissions": "0700",
        **_COMMON,
        **_PRIVATE_LOG,
        **(_FAST if fast else {}),
    }
    lines = [f"{name} = '{_quoted(value)}'" for name, value in settings.items()]
    return "\n".join(["# Written by fleetmem at every start; an edit here is lost.", *lines, ""])


def access(listening: Listening) -> str:
    """Return the text of pg_hba.conf: a password for everyone, everywhere, and nobody from another machine."""
    lines = ["local all all scram-sha-256", "local replication all scram-sha-256"]
    if listening.tcp:
        lines.append("host all all 127.0.0.1/32 scram-sha-256")
    return "\n".join(["# Written by fleetmem at every start; an edit here is lost.", *lines, ""])


def _quoted(value: str) -> str:
    return value.replace("\\", "\\\\").replace("'", "''")
