"""Differences in plain words: what is not as declared, and what that opens.

Long because it is a table: one entry for each kind of row that `catalog/*.sql` renders.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from fleetmem.admin.verify.compare import Difference
from fleetmem.admin.verify.findings import Finding, Source


class Words(NamedTuple):
    """How a kind of row is spoken of: `{object}`, `{live}` and `{declared}` are filled in.

    `extra`: only the live side has it; `missing`: only the declared one; `changed`: both have one, and they differ.
    """

    extra: str
    missing: str
    changed: str
    opens: str


def _thing(noun: str, opens: str) -> Words:
    """Words for an object that is there or not."""
    return Words(
        f"the {noun} {{object}} is not declared",
        f"the declared {noun} {{object}} is gone",
        f"the {noun} {{object}} is `{{live}}`, declared `{{declared}}`",
        opens,
    )


def _trait(of: str, opens: str) -> Words:
    """Words for what an object is like."""
    return Words(
        f"{of} {{object}} is `{{live}}`, which is not declared",
        f"{of} {{object}} is no longer `{{declared}}`",
        f"{of} {{object}} is `{{live}}`, declared `{{declared}}`",
        opens,
    )


WORDS: Final = {
    "role": _thing("role", "a role of the product is more or less than the fence counts on"),
    "role attribute": Words(
        "{object} has {live}",
        "{object} lost {declared}",
        "{object} has {live} instead of {declared}",
        "an attribute of a role can step over row security, make roles or let it log in",
    ),
    "role limits": _trait(
        "the login limit of", "how often and until when the role may log in is somebody else's choice"
    ),
    "membership": Words(
        "the membership {object} is not declared",
        "the membership {object} is gone",
        "the membership {object} says `{live}`, declared `{declared}`",
        "a member can act with every right of the role it is in",
    ),
    "role setting": Words(
        "sessions of {object} start with {live}",
        "sessions of {object} no longer start with {declared}",
        "sessions of {object} start with {live}, declared {declared}",
        "a default can switch off limits, write bound values to the log, or change which names statements mean",
    ),
    "database owner": _trait("the owner of", "a database's owner can create schemas in it, grant on it and drop it"),
    "database template": _trait("being a template for", "whoever may create databases can copy every row"),
    "database encoding": _trait("the encoding of", "lengths and comparisons of text are not what the rules count on"),
    "database limits": _trait("who may connect to", "services can be locked out, or a limit is gone"),
    "schema": _thing("schema", "objects in it are outside what was reviewed"),
    "schema owner": _trait("the owner of schema", "a schema's owner can drop or replace what is in it"),
    "relation": _thing(
        "relation", "what it shows or keeps is outside what was reviewed; if it is gone, so are its records"
    ),
    "relation owner": _trait("the owner of", "an owner can change the table and its rules, or hand out rights to it"),
    "row security": _trait(
        "row security of",
        "without it, or without FORCE, policies do not bind everyone: rows show regardless of audience",
    ),
    "relation persistence": _trait("the storage of", "an unlogged table is emptied by a crash"),
    "relation option": Words(
        "{object} has the option {live}",
        "{object} lost the option {declared}",
        "{object} has the option {live}, declared {declared}",
        "a view without security_invoker reads as its owner, past the policies of whoever asks",
    ),
    "relation definition": _trait("the query of", "a view can show rows or columns that nobody reviewed"),
    "replica identity": _trait("the replica identity of", "old versions of rows travel to replication"),
    "inheritance": _thing(
        "child or partition", "rows can be read and written through the child, past the parent's policies and triggers"
    ),
    "column": _thing("column", "a record keeps more or other things than its rules were written for"),
    "column statistics": _trait(
        "the statistics target of",
        "the planner's estimates, visible through EXPLAIN, depend on rows the reader may not see",
    ),
    "column option": _trait("an option of", "the planner's estimates can be steered"),
    "policy": _thing("policy", "which rows a role reads or writes is decided differently"),
    "trigger": _thing("trigger", "what it stamps or forbids is not stamped or forbidden as declared"),
    "trigger state": _trait(
        "the trigger", "what it stamps or forbids can be skipped: records may be forged, changed or deleted"
    ),
    "foreign key trigger": _trait(
        "the foreign key check", "rows can name an author or an audience that does not exist"
    ),
    "constraint": _thing("constraint", "values it refused can be stored"),
    "index": _thing("index", "a unique rule may no longer hold, or a fenced read becomes slow enough to time"),
    "rule": _thing("rewrite rule", "statements are turned into others before any policy is asked"),
    "function": _thing("function", "it runs code that nobody reviewed, or a request it served now fails"),
    "function owner": _trait("the owner of function", "a definer function acts with its owner's rights"),
    "function security": _trait(
        "the security of function", "as definer it acts with its owner's rights, not its caller's"
    ),
    "function volatility": _trait(
        "the volatility of function", "an answer can be kept from one caller and given to the next"
    ),
    "function leakproof": _trait(
        "the leakproof mark of function", "a leakproof function is run on rows before the policy has hidden them"
    ),
    "function parallel": _trait("the parallel mark of function", "a worker process can decide without the claim"),
    "function strictness": _trait(
        "the null handling of function", "a null argument takes another path through its rules"
    ),
    "function setting": Words(
        "the function {object} runs under {live}",
        "the function {object} no longer runs under {declared}",
        "the function {object} runs under {live}, declared {declared}",
        "without its own search_path a definer function can be made to call somebody else's code",
    ),
    "function result": _trait("the signature of function", "callers and policies read something else from it"),
    "function body": Words(
        "the body of function {object} is not declared",
        "the body of function {object} is gone",
        "the body of function {object} was replaced (now {live:.12}, declared {declared:.12})",
        "it decides, stamps or verifies by other rules than the ones reviewed",
    ),
    "catalogue function closed to PUBLIC": Words(
        "{object} is closed to PUBLIC",
        "PUBLIC may execute {object} again",
        "",
        "anyone with a login can hold locks, sleep, write large objects, signal sessions or print tables with it",
    ),
    "catalogue function leakproof": Words(
        "the built-in function {object} is leakproof",
        "the built-in function {object} is no longer leakproof",
        "",
        "a leakproof comparison runs before the row policy, so its timing can walk a hidden text",
    ),
    "catalogue functions": _trait("the built-in functions in", "something every statement calls was replaced"),
    "catalogue views": _trait("the built-in views in", "what the catalogue shows was replaced"),
    "language": _thing("language", "functions can be written in it; an untrusted one reaches the server's files"),
    "type": _thing("type", "it brings operators and casts of its own"),
    "default privilege": _trait("the rights on", "the next function made there is executable by whoever this names"),
    "extension": _thing("extension", "its functions, types and tables are outside what was reviewed"),
    "event trigger": _thing("event trigger", "its function runs inside the owner's own changes of the schema"),
    "publication": _thing("publication", "every row it covers can leave for another server, past row security"),
    "subscription": _thing("subscription", "another server writes rows here, past the stamping triggers"),
    "logical slot": _thing("logical replication slot", "whoever reads it sees every change of every row"),
    "foreign data wrapper": _thing("foreign data wrapper", "statements can reach other servers or files"),
    "foreign server": _thing("foreign server", "rows can leave for another server"),
    "user mapping": _thing("user mapping", "a login elsewhere is kept in this database"),
    "large object": _thing("large object", "bytes are kept outside every table, policy and backup"),
    "operator": _thing("operator", "a comparison in a statement or a policy can mean something else"),
    "cast": _thing("cast", "values are converted by code that nobody reviewed"),
    "extended statistics": _thing(
        "statistics object", "the planner's estimates can reveal combinations of hidden values"
    ),
    "text search configuration": _thing("text search configuration", "searches mean something else"),
    "collation": _thing("collation", "texts compare by other rules"),
    "applied policy file": _trait(
        "the applied policy file", "the database was brought under another version of the fence"
    ),
    "migration": _thing("migration", "the tables are of another version than the code"),
}
# What a right is good for, by (kind of row, right); the first of each kind is for any other right.
_RIGHTS: Final = {
    "database privilege": {
        "": "the database is open to a role that has no business there",
        "CONNECT": "a role that has no business there can open sessions in this database",
        "TEMPORARY": "a temporary object can stand in for a name that a function looks up",
        "CREATE": "schemas of its own can be made next to the fence",
    },
    "schema privilege": {
        "": "names in the schema can be looked up",
        "CREATE": "objects can be planted where the fence's own names are looked up",
    },
    "relation privilege": {
        "": "the table is open to more than its rules were written for",
        "SELECT": "every column of the rows that policies admit can be read, and without a policy nothing else stands in between",
        "INSERT": "columns that only triggers may fill can be sent along",
        "UPDATE": "stamped columns can be rewritten",
        "DELETE": "records can be deleted, and nothing here is ever deleted",
        "TRUNCATE": "the table can be emptied, and row security does not apply to TRUNCATE",
        "REFERENCES": "a foreign key elsewhere can tell which rows exist",
        "TRIGGER": "somebody's function can be run by everybody's statements",
        "MAINTAIN": "statistics on hidden values can be collected",
    },
    "column privilege": {
        "": "the column is open to more than its rules were written for",
        "SELECT": "a column that was withheld can be read",
        "INSERT": "a column that only a trigger may fill can be forged",
        "UPDATE": "a column that only a trigger may fill can be rewritten",
    },
    "function privilege": {"": "the function can be called by a role it was not made for"},
    "catalogue function privilege": {"": "a built-in function that the fence closed can be called"},
    "catalogue privilege": {"": "a catalogue that may hold secrets or hidden values can be read"},
    "parameter privilege": {
        "": "a setting that only a superuser may change can be changed",
        "SET": "a session can give itself what only a superuser may: switch triggers off, or write bound values to the log",
        "ALTER SYSTEM": "the server's configuration can be changed for every session, its log included",
    },
    "language privilege": {"": "functions can be written in this language"},
    "type privilege": {"": "the type can be used by a role it was not made for"},
}
KINDS: Final = WORDS.keys() | _RIGHTS.keys()


def findings(difference: Difference) -> Iterator[Finding]:
    """Say one difference: a right at a time, anything else as a whole."""
    if difference.kind in _RIGHTS:
        yield from _rights(difference)
        return
    words = WORDS[difference.kind]
    template = (
        words.changed if difference.declared and difference.live else words.extra if difference.live else words.missing
    )
    what = template.format(
        object=difference.object, live=", ".join(difference.live), declared=", ".join(difference.declared)
    )
    yield Finding(Source.DIFFERENCE, difference.kind, difference.object, what, words.opens)


def _rights(difference: Difference) -> Iterator[Finding]:
    kind, name = difference.kind, difference.object
    for value in difference.live:
        grantee, right = value.split(": ", 1)
        whom = "anyone with a login: " if grantee == "PUBLIC" else ""
        opens = _RIGHTS[kind].get(right.split(",", 1)[0], _RIGHTS[kind][""])
        yield Finding(
            Source.DIFFERENCE, kind, name, f"{grantee} may {right} on {name}, which is not declared", whom + opens
        )
    for value in difference.declared:
        grantee, right = value.split(": ", 1)
        what = f"{grantee} may no longer {right} on {name}"
        yield Finding(Source.DIFFERENCE, kind, name, what, "requests that count on it are refused")
