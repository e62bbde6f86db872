"""One function as data, and the kinds there are."""

from dataclasses import dataclass

from fleetmem.admin.prove.rights.relations import OWNER, SCRIBE, VERIFIER


@dataclass(frozen=True, slots=True)
class Routine:
    """One function; `is_definer`: it runs as its owner, and then on a search path of its own."""

    signature: str
    owner: str
    is_definer: bool
    callers: tuple[str, ...] = ()


def door(signature: str, *callers: str) -> Routine:
    """Write down a function that runs as whoever calls it: row security decides."""
    return Routine(signature, OWNER, is_definer=False, callers=callers)


def verdict(signature: str, *callers: str) -> Routine:
    """Write down one that reads the vault, which no caller can."""
    return Routine(signature, VERIFIER, is_definer=True, callers=callers)


def stamp(signature: str) -> Routine:
    """Write down a trigger's function that writes what no caller may; the owner hangs it on a table."""
    return Routine(signature, SCRIBE, is_definer=True, callers=(OWNER,))


def scribes(signature: str, *callers: str) -> Routine:
    """Write down one that does, with the scribe's rights, what its callers may not do themselves."""
    return Routine(signature, SCRIBE, is_definer=True, callers=callers)


def helper(signature: str, *callers: str) -> Routine:
    """Write down one of the scribe's own that runs as whoever calls it."""
    return Routine(signature, SCRIBE, is_definer=False, callers=callers)
