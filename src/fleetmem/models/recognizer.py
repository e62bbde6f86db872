"""The recognizer: an encoder, the evidence for it, and what they decide. This is what a worker holds."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from fleetmem.config import Settings
from fleetmem.errors import ConfigInvalid
from fleetmem.memory import kinship, likeness, placing, routing
from fleetmem.memory.calibration import Calibration
from fleetmem.memory.kinship import Kinship
from fleetmem.memory.likeness import Profile, World
from fleetmem.memory.placing import Placement, Skill
from fleetmem.memory.profile import Member
from fleetmem.memory.routing import Decision
from fleetmem.models.encoder import Encoder, Identity, open_encoder
from fleetmem.sql import routing_files

if TYPE_CHECKING:
    from fleetmem.models.space import Space


class Recognizer:
    """Decides by one model and one calibration. Not for several threads at once."""

    __slots__ = ("_profile", "_scorer", "_seen", "calibration", "space")

    def __init__(self, encoder: Encoder, calibration: Calibration, seen: World) -> None:
        """Hold the encoder to the calibration's model.

        Raises:
            ConfigInvalid: the calibration is of another model.
        """
        check_model(encoder.identity, calibration, seen)
        self.space = open_space(encoder)
        self.calibration = calibration
        self._seen = seen
        self._scorer = calibration.scorer
        self._profile = lru_cache(maxsize=_PROFILES)(self._measured)

    @property
    def identity(self) -> Identity:
        """Say which model decides."""
        return self.space.identity

    def decide(self, text: str, members: Sequence[Member], rivals: Sequence[Member] = ()) -> Decision:
        """Decide which members receive a note; `routing.decide` says who `rivals` are.

        Raises:
            RequestInvalid: there is no member, or two have one name.
            Unavailable: the model is elsewhere and does not answer.
        """
        return routing.decide(
            text,
            [self._profile(each) for each in members],
            self.space.similar,
            self._seen,
            self._scorer,
            rivals=[self._profile(each) for each in rivals],
        )

    def place(self, text: str, skills: Sequence[Skill], proposed: Skill) -> Placement:
        """Decide where a note goes in a recipient's workspace.

        Raises:
            Unavailable: the model is elsewhere and does not answer.
        """
        return placing.place(text, skills, proposed, self.space.similar)

    def kinship(self, text: str, landed: Sequence[tuple[str, str]]) -> Kinship:
        """Decide what a note is to those that landed, given as (id, text).

        Raises:
            Unavailable: the model is elsewhere and does not answer.
        """
        return kinship.kinship(text, landed, self.space.similar)

    def warm(self) -> None:
        """Encode the occupations now, so that the first note does not wait for them.

        Raises:
            Unavailable: the model is elsewhere and does not answer.
        """
        self.space.learn(self._seen.occupations.lines)

    def _measured(self, member: Member) -> Profile:
        return likeness.profile(member, self.space.similar, self._seen)


def open_recognizer(settings: Settings, calibration: Calibration | None = None) -> Recognizer | None:
    """Open what the settings name, under a promoted calibration or the shipped one; None where recognition is off.

    Raises:
        ConfigInvalid: something is missing, or the calibration is of another model.
        SetupInvalid: the shipped data is broken.
    """
    encoder = open_encoder(settings)
    if encoder is None:
        return None
    return Recognizer(encoder, calibration or routing_files.shipped_calibration(), routing_files.world())


def open_space(encoder: Encoder) -> Space:
    """Make the space of an encoder.

    Raises:
        ConfigInvalid: NumPy is not installed.
    """
    try:
        from fleetmem.models.space import Space  # noqa: PLC0415 -- where recognition is off NumPy need not be installed
    except ImportError as error:
        raise ConfigInvalid(
            "numpy is not installed: install fleetmem[memory], or set FLEETMEM_RECOGNIZER=off",
            field="FLEETMEM_RECOGNIZER",
            rule="package",
        ) from error
    return Space(encoder)


def check_model(identity: Identity, calibration: Calibration, seen: World) -> None:
    """Refuse a threshold of another model: its scores mean nothing here. A fake's mean nothing anywhere."""
    if identity.model == _FAKE:
        return
    of = calibration.model
    if of.sha256 != identity.sha256:
        raise ConfigInvalid(
            f"the calibration is of {of.name} ({of.sha256[:12]}), and {identity.model} ({identity.sha256[:12]}) is set:"
            " calibrate it (fleetmem routing calibrate) and promote that",
            field="FLEETMEM_RECOGNIZER",
            rule="calibration",
        )
    if of.occupations != seen.occupations.version:
        raise ConfigInvalid(
            f"the calibration is of the occupations {of.occupations}, not {seen.occupations.version}: calibrate again",
            field="FLEETMEM_RECOGNIZER",
            rule="calibration",
        )


_FAKE: Final = "fake"
_PROFILES: Final = 4_096
