"""What `fleetmem up` suggests names who is in the fleet, what they may write, and ports that are not the usual ones."""

from dataclasses import replace
from pathlib import Path

from fleetmem.admin import welcome
from fleetmem.config import load
from fleetmem.fleet import roster

CREW = roster.parse(
    b"""
audiences: [shop, street]
agents:
  - {name: baker, description: Bakes., reads: [shop, street], writes: [shop, street]}
  - {name: apprentice, description: Watches., reads: [street], writes: []}
operators: [{name: chief, description: Decides.}]
"""
)


def suggested(folder: Path, *names: str, gateway_port: int = 8420, console_port: int = 8421) -> list[str]:
    for name in names:
        (folder / f"{name}.token").touch()
    settings = replace(load({}), gateway_port=gateway_port, console_port=console_port)
    return welcome.suggestions(CREW, folder, gateway="http://g:1", console="http://c:2", settings=settings)


def test_an_agent_that_may_write_and_an_operator_are_suggested(tmp_path: Path) -> None:
    lines = suggested(tmp_path, "apprentice", "baker", "chief")
    assert lines[0] == f"export FLEETMEM_TOKEN_FILE={tmp_path}/baker.token"
    assert any(line.endswith("--audience street") for line in lines)
    assert any(line.endswith(f"--token-file {tmp_path}/chief.token review list") for line in lines)
    assert not any("FLEETMEM_URL" in line or "FLEETMEM_CONSOLE_URL" in line for line in lines)


def test_nothing_is_suggested_in_the_name_of_somebody_without_a_token(tmp_path: Path) -> None:
    lines = suggested(tmp_path, "apprentice")
    assert lines[0] == f"export FLEETMEM_TOKEN_FILE={tmp_path}/apprentice.token"
    assert not any("publish" in line or "review" in line for line in lines)
    assert [line.rpartition(" ")[2] for line in welcome_without_tokens(tmp_path)] == ["prove"]


def test_each_address_is_told_where_its_port_is_another(tmp_path: Path) -> None:
    assert "export FLEETMEM_URL=http://g:1" in suggested(tmp_path, gateway_port=9000)
    assert "export FLEETMEM_CONSOLE_URL=http://c:2" in suggested(tmp_path, console_port=9001)


def welcome_without_tokens(folder: Path) -> list[str]:
    empty = folder / "none"
    empty.mkdir()
    return suggested(empty)
