"""The memory half: memories landed and taken away, steps of runs and messages taken in, notes routed."""

from collections.abc import Callable

from bench import landings, routing, spans, throughput
from bench.report import Report
from bench.sizes import Sizes
from fleetmem.admin.up import Fleet


def measure(fleet: Fleet, sizes: Sizes, report: Report, say: Callable[[str], None]) -> None:
    """Measure all of it; memories first, since what spans leave behind would be distilled with them."""
    say(f"landings: {2 * sizes.landings} memories, half of them with commits that wait for no disk …")
    report.add(*landings.measure(fleet, sizes))
    say(f"spans: {sizes.rounds} rounds of batches, then {sizes.span_looks} one at a time …")
    report.add(*spans.measure(fleet, sizes))
    report.add(*throughput.measure_messages(fleet, sizes, say))
    say(f"routing: loading the model, then {2 * sizes.notes} notes …")
    report.add(*routing.measure(fleet.settings, sizes, say))
