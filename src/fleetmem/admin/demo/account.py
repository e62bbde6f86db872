"""The account of a day: each step with what was expected of it, and in the end what everyone published, read and was refused."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Final, TypeVar

from fleetmem import errors
from fleetmem.admin.deployment import Say
from fleetmem.errors import FleetmemError

T = TypeVar("T")

# Who refused, as far as an error tells: the fence is Postgres, and the gateway only ever checks form before it.
_BY: Final = (
    (errors.SecretInBody, "the screening of texts"),
    (errors.TokenInvalid, "Postgres: no live token behind it"),
    (errors.Unauthenticated, "the gateway: no token"),
    (errors.AudienceNotWritable, "Postgres: write policy"),
    (errors.Absent, "Postgres: read policy (hidden looks absent)"),
    (errors.Forbidden, "Postgres: not its record"),
    (errors.TransitionRefused, "Postgres: table of moves"),
    (errors.Conflict, "Postgres: the record's state"),
    (errors.RequestInvalid, "the gateway: the request's form"),
)


class Account:
    """Collects steps; `say` is told each one as it happens."""

    def __init__(self, say: Say) -> None:
        self._say = say
        self._expected = 0
        self._held = 0
        self._published: defaultdict[str, list[str]] = defaultdict(list)
        self._read: defaultdict[str, set[str]] = defaultdict(set)
        self._refused: defaultdict[str, list[str]] = defaultdict(list)

    @property
    def all_held(self) -> bool:
        """Whether there were expectations, and every one held."""
        return 0 < self._expected == self._held

    def scene(self, title: str) -> None:
        """Begin a part of the day."""
        self._say(f"\n{title}")

    def done(self, who: str, what: str, act: Callable[[], T], *, publishes: str | None = None) -> T:
        """Take a step that is expected to succeed, and return what it gave.

        Raises:
            FleetmemError: it did not; the day cannot go on without it.
        """
        try:
            given = act()
        except FleetmemError as error:
            self._tell(f"{who} {what}", f"FAILED: {error.detail}", held=False)
            raise
        if publishes is not None:
            self._published[who].append(publishes)
        self._tell(f"{who} {what}", "done", held=True)
        return given

    def refused(self, who: str, what: str, act: Callable[[], object], expected: type[FleetmemError]) -> None:
        """Take a step that is expected to be refused, with exactly this class of the error tree."""
        try:
            act()
        except FleetmemError as error:
            by = next((by for kind, by in _BY if isinstance(error, kind)), error.code)
            rule = f" ({error.rule})" if isinstance(error, errors.SecretInBody) else ""
            self._refused[who].append(f"{what}: {by}{rule}")
            held = type(error) is expected
            told = f"refused by {by}{rule}" if held else f"REFUSED OTHERWISE, with {error.code}: {error.detail}"
            self._tell(f"{who} {what}", told, held=held)
        else:
            self._tell(f"{who} {what}", "ALLOWED, and should not be", held=False)

    def sees(self, who: str, what: str, found: Iterable[str], expected: Iterable[str]) -> None:
        """Compare what an agent was shown with what it should be shown, neither more nor less."""
        seen = list(found)
        self._read[who].update(seen)
        self.tells(who, what, seen, expected)

    def tells(self, who: str, what: str, found: Iterable[str], expected: Iterable[str]) -> None:
        """Compare in the same way what somebody was shown who is no agent, and whom the summary leaves out."""
        seen, wanted = sorted(found), sorted(expected)
        told = f"sees {', '.join(seen) or 'nothing'}"
        self._tell(f"{who} {what}", told if seen == wanted else f"{told}, NOT {wanted}", held=seen == wanted)

    def holds(self, sentence: str, *, held: bool) -> None:
        """State something that has to be so."""
        self._tell(sentence, "so it is" if held else "IT IS NOT", held=held)

    def broke_off(self) -> None:
        """Record that an act could not go on: what it would still have shown did not hold."""
        self._expected += 1

    def left_out(self, sentence: str) -> None:
        """Say what cannot be shown on this machine; it counts neither way."""
        self._say(f"  --  not shown: {sentence}")

    def summary(self) -> str:
        """Write what each agent published, read and was refused, and whether all of it was as expected."""
        lines = ["\nWhat remains of it"]
        for who in sorted({*self._published, *self._read, *self._refused}):
            lines += [
                f"  {who}",
                f"    published    {', '.join(self._published[who]) or 'nothing'}",
                f"    read         {', '.join(sorted(self._read[who])) or 'nothing'}",
                *(f"    was refused  {refusal}" for refusal in self._refused[who]),
            ]
        verdict = "Every expectation held" if self.all_held else "NOT every expectation held"
        return "\n".join([*lines, "", f"{verdict}: {self._held} of {self._expected}."])

    def _tell(self, step: str, outcome: str, *, held: bool) -> None:
        self._expected += 1
        self._held += held
        self._say(f"  {'ok ' if held else 'NO '} {step}\n        -> {outcome}")
