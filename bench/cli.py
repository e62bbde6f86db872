"""`python bench [--quick] [--json FILE] [--only SECTION]`: measure on a throw-away fleet, print the table, keep the figures.

Exit codes: 0 it was measured, whatever came out; 2 it could not be.
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from bench import ground, growth, load, machine, memory, queries, revocation, seed, startup, throughput
from bench.report import Report
from bench.sizes import FEWEST_ROWS, ROWS_VARIABLE, Sizes, asked
from fleetmem import config
from fleetmem.admin import deployment, up
from fleetmem.admin.up import Fleet
from fleetmem.config import Settings
from fleetmem.errors import FleetmemError, SetupInvalid

SECTIONS: Final = ("throughput", "revocation", "memory", "queries", "growth", "startup")


def main(arguments: Sequence[str]) -> int:
    """Run the benchmark; return the exit code."""
    given = _parser().parse_args(arguments)
    try:
        report = run(config.load(), asked(quick=given.quick), tuple(given.only or SECTIONS), _say)
    except FleetmemError as error:
        _say(f"bench: {error.detail}")
        return 2
    sys.stdout.write(report.text() + "\n")
    if given.json is not None:
        given.json.write_bytes(report.json())
    return 0


def run(settings: Settings, sizes: Sizes, sections: Sequence[str], say: Callable[[str], None]) -> Report:
    """Measure the sections asked for.

    Raises:
        FleetmemError: it could not be measured as meant.
    """
    with up.throw_away(ground.settings_of(settings), say, fast=False) as fleet:
        report = Report(machine.facts(fleet.owner, load_by=load.generator()))
        if report.machine["fsync"] != "on":
            raise SetupInvalid("a write that reaches no disk is not what is to be measured: fsync is off")
        if "throughput" in sections or "revocation" in sections:
            ground.fill(fleet, rows=sizes.few_rows)
        if "throughput" in sections:
            report.add(*throughput.measure(fleet, sizes, say))
        if "revocation" in sections:
            say(f"revocation: {sizes.revocations} tokens …")
            report.add(*revocation.measure(fleet, sizes))
        if "memory" in sections:
            memory.measure(fleet, sizes, report, say)
        if "queries" in sections or "growth" in sections:
            _measure_sizes(fleet, sizes, sections, report, say)
    if "startup" in sections:
        say("start-up: first and second up …")
        report.add(*startup.measure(settings))
    return report


def _measure_sizes(
    fleet: Fleet, sizes: Sizes, sections: Sequence[str], report: Report, say: Callable[[str], None]
) -> None:
    password = deployment.read_password(fleet.settings.home, "fleetmem_gateway")
    databases = []
    for name, rows in (("bench_small", sizes.few_rows), ("bench_large", sizes.rows)):
        say(f"writing {rows:,} beats …")
        databases.append(seed.fenced(fleet.owner, name, rows=rows))
    small, large = databases
    if "queries" in sections:
        say("queries: fenced and unfenced in turns …")
        report.add(*queries.measure((small, large), password, sizes))
    if "growth" in sections:
        say("growth: both sizes in turns …")
        report.add(*growth.measure(small, large, password, sizes))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python bench",
        description="Measure what fence and memory cost on this machine, on a throw-away fleet.",
        epilog=f"{ROWS_VARIABLE} sets the rows of the larger table (from {FEWEST_ROWS}).",
    )
    parser.add_argument(
        "--quick", action="store_true", help="every row of the table from tiny sizes, in about a minute"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures as JSON")
    parser.add_argument(
        "--only", action="append", choices=SECTIONS, metavar="SECTION", help=f"one of {', '.join(SECTIONS)}"
    )
    return parser


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")
