"""docs/landing.md says every reason for which a workspace is refused."""

import re
from pathlib import Path

import fleetmem

ROOT = Path(__file__).parents[2]
SOURCE = Path(fleetmem.__file__).parent
RAISED = re.compile(
    r'(?:rule="|_refused\(\s*"|_refusal\([^"]*?, "|_climbs.*?"|, "(?=no-space"|permission"|not-plain"|changed"|system"))([a-z-]+)"'
)


def test_every_rule_is_in_the_table() -> None:
    table = set(
        re.findall(r"^\| `([a-z-]+)` \|", (ROOT / "docs" / "landing.md").read_text(encoding="utf-8"), re.MULTILINE)
    )
    modules = [*(SOURCE / "landing").glob("*.py"), SOURCE / "memory" / "block.py", SOURCE / "memory" / "skill.py"]
    of_notes = {"yaml"}  # a RequestInvalid's
    raised = {rule for module in modules for rule in RAISED.findall(module.read_text(encoding="utf-8"))} - of_notes
    assert raised == table
