"""Small transcripts for tests."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

from fleetmem.memory.transcript import Message, Prompt, Run, Span, Transcript

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
RULE = "The frontend needs only the public API contract and must never see backend env values."


def identifier(number: int) -> UUID:
    return UUID(int=number)


def transcript(*said: str, outputs: tuple[str | None, ...] = (), steps: tuple[str, ...] = ()) -> Transcript:
    """Return a conversation: messages 101…, runs 201…, each with one step in the first run."""
    return Transcript(
        team="web",
        prompts=(Prompt(identifier(1), "Wire the settings page.", NOON),),
        messages=tuple(
            Message(identifier(100 + n), n, "security", "agent", text, NOON + timedelta(minutes=n))
            for n, text in enumerate(said, start=1)
        ),
        runs=tuple(
            Run(identifier(200 + n), "backend", "Do your part.", output, "done")
            for n, output in enumerate(outputs, start=1)
        ),
        spans=tuple(Span(identifier(201), n, "tool", "shell", text, is_error=False) for n, text in enumerate(steps, 1)),
    )
