"""The recognizer with its real model: what people would expect, and evidence that fits the model."""

import dataclasses
import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from fleetmem.config import load
from fleetmem.errors import ConfigInvalid
from fleetmem.memory import calibration
from fleetmem.memory.kinship import Kin
from fleetmem.memory.placing import Placing, Skill
from fleetmem.memory.profile import Member, subject
from fleetmem.models.encoder import Identity, Vectors
from fleetmem.models.fake import Fake
from fleetmem.models.recognizer import Recognizer, open_recognizer
from fleetmem.sql import routing_files
from tests.unit import corpus_sample

pytest.importorskip("sentence_transformers")

SECURITY = Member("security", "Reviews code for vulnerabilities, secrets and access.", "You own the threat model.")
BACKEND = Member("backend", "Builds the API, server code and the database.", "You own routes, queries and migrations.")
FRONTEND = Member("frontend", "Builds pages, components and styles.", "You own the web client and its accessibility.")
COOK = Member("cook", "Plans menus and cooks.", "You own recipes, the pantry and allergies.")
TEAM = (SECURITY, BACKEND, FRONTEND)


@pytest.fixture(scope="module")
def recognizer() -> Recognizer:
    opened = open_recognizer(load({}))
    assert opened is not None
    return opened


def test_a_note_goes_to_whom_it_concerns(recognizer: Recognizer) -> None:
    note = subject(
        "When changing a table", "Add the column, backfill in batches, then set the constraint in a migration."
    )
    assert recognizer.decide(note, TEAM).outcomes[0].agent == "backend"
    assert recognizer.decide("Every icon button needs an aria label and keyboard focus.", TEAM).recipients == (
        "frontend",
    )


def test_a_note_for_nobody_only_falls_back(recognizer: Recognizer) -> None:
    decided = recognizer.decide("The neighbour's cat had three kittens on Sunday.", TEAM)
    assert decided.is_fallback
    assert decided.outcomes[0].score < decided.threshold


def test_the_order_of_members_decides_nothing(recognizer: Recognizer) -> None:
    note = "Rotate the leaked key and review who has access."
    one, other = recognizer.decide(note, TEAM), recognizer.decide(note, TEAM[::-1])
    assert [(each.agent, each.verdict) for each in one.outcomes] == [(e.agent, e.verdict) for e in other.outcomes]
    assert [each.score for each in one.outcomes] == pytest.approx([each.score for each in other.outcomes], abs=1e-4)


def test_what_a_rival_should_have_is_not_handed_to_the_next_best(recognizer: Recognizer) -> None:
    note = "Every icon button needs an aria label and keyboard focus."
    decided = recognizer.decide(note, [SECURITY, COOK], rivals=[FRONTEND])
    assert decided.is_fallback
    assert {each.agent for each in decided.outcomes} == {"security", "cook"}


def test_a_correction_is_told_from_a_repetition(recognizer: Recognizer) -> None:
    landed = [("a", "Backups run at 02:00 every night."), ("b", "Ask Mara before the release.")]
    found = {text: recognizer.kinship(text, landed) for text in ("Backups run at 03:00 every night.", "Cats sleep.")}
    assert [(each.kin, each.note) for each in found.values()] == [(Kin.CORRECTION, "a"), (Kin.UNRELATED, None)]
    assert recognizer.kinship("Please ask Mara before the release.", landed).kin is Kin.SAME


def test_an_unrelated_skill_of_the_proposed_name_withholds(recognizer: Recognizer) -> None:
    skills = [Skill("release-checklist", "When preparing or publishing a release.")]
    travel = Skill("release-checklist", "When booking travel.")
    assert recognizer.place("Trains are cheaper before nine.", skills, travel).placing is Placing.WITHHELD
    publish = Skill("publishing", "When publishing a release.")
    assert recognizer.place("Publish the release after the tag.", skills, publish).placing is Placing.JOIN


def test_evidence_of_another_model_stops_the_start() -> None:
    shipped = msgspec.to_builtins(routing_files.shipped_calibration())
    shipped["model"]["sha256"] = "0" * 64
    with pytest.raises(ConfigInvalid) as refused:
        open_recognizer(load({}), calibration.read(msgspec.json.encode(shipped)))
    assert refused.value.rule == "calibration"


def test_evidence_of_other_occupations_stops_the_start() -> None:
    seen = routing_files.world()
    other = dataclasses.replace(seen, occupations=dataclasses.replace(seen.occupations, version="another"))
    shipped = routing_files.shipped_calibration()

    @dataclasses.dataclass
    class Same:
        identity: Identity
        encode: Callable[[Sequence[str]], Vectors]

    of = shipped.model
    with pytest.raises(ConfigInvalid) as refused:
        Recognizer(Same(Identity(of.name, of.sha256, of.arithmetic), Fake().encode), shipped, other)
    assert refused.value.rule == "calibration"


def _fleetmem(*words: str, at: Path) -> subprocess.CompletedProcess[str]:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("FLEETMEM_")}  # noqa: TID251
    command = [str(Path(sys.executable).with_name("fleetmem")), *words]
    return subprocess.run(command, cwd=at, env=inherited, capture_output=True, text=True, check=False)


def test_the_command_prints_one_object(tmp_path: Path) -> None:
    done = _fleetmem("routing", "test", str(corpus_sample.write(tmp_path / "notes.jsonl")), "--json", at=tmp_path)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    assert found["notes"] == 21
    assert found["threshold"] == routing_files.shipped_calibration().threshold
    shares = ("precision", "recall", "top1", "nobody_misrouted", "foreign_misrouted")
    assert all(0 <= found[name] <= 1 for name in shares)
    assert found["top1"] >= 0.7
    assert set(found["teams"]) == set(corpus_sample.TEAMS)
    assert {"precision", "recall"} <= set(found["with_exemplars"])


def test_evidence_is_written_and_can_be_read(tmp_path: Path) -> None:
    file, out = corpus_sample.write(tmp_path / "notes.jsonl"), tmp_path / "mine.json"
    words = ("routing", "calibrate", str(file), "--labels", "human", "--precision", "0.6", "--out", str(out))
    done = _fleetmem(*words, at=tmp_path)
    assert done.returncode == 0, done.stderr
    made = calibration.read(out.read_bytes())
    assert (made.source.labels, made.source.notes, made.target_precision) == ("human", 21, 0.6)
    assert made.model.sha256 == routing_files.shipped_calibration().model.sha256
