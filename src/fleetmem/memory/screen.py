"""A transcript without its secrets: what may leave this machine, or be shown to a model."""

from __future__ import annotations

from fleetmem.memory import redaction
from fleetmem.memory.policy import Secrets
from fleetmem.memory.redaction import MARKER, Unsettled
from fleetmem.memory.transcript import Transcript
from fleetmem.memory.views import Overload


def screened(secrets: Secrets, transcript: Transcript) -> Transcript:
    """Return the transcript with every secret rewritten, in each text where one of its texts holds it.

    A text that cannot be judged is withheld: it becomes the marker. So does every text where they cannot be judged together.
    """
    judged = {name: _alone(secrets, text) for name, text in transcript.texts().items()}
    try:
        return transcript.with_texts(redaction.redact(secrets, judged).texts)
    except (Overload, Unsettled):
        return transcript.with_texts(dict.fromkeys(judged, MARKER))


def _alone(secrets: Secrets, text: str) -> str:
    try:
        redaction.find(secrets, text)
    except Overload:
        return MARKER
    return text
