"""V. The live fence against the declared one: what no attempt shows, because nobody has used it yet.

`fleetmem fence verify` finds it; here a difference that opens something counts as allowed.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from fleetmem.admin import verify
from fleetmem.admin.database import Conninfo
from fleetmem.admin.prove.verdict import Kind, Verdict, Way
from fleetmem.admin.verify import Finding, Source

# The owner's to choose: they are told, and do not fail a proof.
_OWNERS_CHOICE: Final = frozenset({"extension", "role limits", "role setting", "powerful_roles"})
_NEVER_A_CHOICE: Final = ("log_parameter", "row_security", "search_path", "session_replication_role")


def checks(admin: Conninfo, cache: Path | None) -> Iterator[Verdict]:
    """Verify the fence; one verdict a finding, or a single one that there is none."""
    report = verify.verify(admin, cache=cache)
    if report.is_clean:
        yield _verdict("V0", "the fence", f"{report.rows} facts as declared", is_held=True, why="", is_limit=False)
    for number, finding in enumerate(report.findings, start=1):
        is_told = finding.source is Source.SERVER or _is_choice(finding)
        about = f"{finding.kind}: {finding.object}"
        yield _verdict(f"V{number}", about, finding.what, is_held=is_told, why=finding.opens, is_limit=is_told)


def _is_choice(finding: Finding) -> bool:
    return finding.kind in _OWNERS_CHOICE and not any(name in finding.what.lower() for name in _NEVER_A_CHOICE)


def _verdict(case_id: str, about: str, got: str, *, is_held: bool, why: str, is_limit: bool) -> Verdict:
    return Verdict(
        way=Way.DATABASE,
        section="V",
        id=case_id,
        kind=Kind.LIMIT if is_limit else Kind.STATE,
        who="the catalogue",
        attempt=about,
        expected="as declared",
        got=got,
        held=is_held,
        why=why,
    )
