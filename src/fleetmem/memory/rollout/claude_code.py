"""Claude Code's sessions: `~/.claude/projects/FOLDER/SESSION.jsonl`, as 2.1.197 writes them.

Every line has a `type`; `user` and `assistant` hold a message of Anthropic's API, split into one line for each block. Types that
are not known here, side chains (a sub-agent's own talk) and what the program says to itself are passed over.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from fleetmem.memory.rollout.turns import Said, Step, Turn, member, moment, text_of, tokens

_INTERRUPTED: Final = "[Request interrupted by user"
# A slash command and what it printed: typed by a person, and no prompt.
_NO_PROMPT: Final = ("<command-", "<local-command-", "<bash-")
_ENDS: Final = frozenset({"end_turn", "stop_sequence", "max_tokens", "refusal"})


class Reader:
    """Takes lines in order; `turns` and `session` are what they were."""

    def __init__(self) -> None:
        self.session: str | None = None
        self.turns: list[Turn] = []
        self._calls: dict[str, Step] = {}
        self._answers: dict[str, Step] = {}

    def take(self, number: int, line: Mapping[str, Any]) -> None:
        """Take one line.

        Raises:
            Malformed: it is of a known type and not shaped as that.
        """
        kind = member(line, "type", str)
        if self.session is None and isinstance(named := line.get("sessionId"), str):
            self.session = named
        if (
            kind not in {"user", "assistant"}
            or line.get("isSidechain")
            or line.get("isMeta")
            or line.get("isCompactSummary")
        ):
            return
        message, at = member(line, "message", dict), moment(line.get("timestamp"))
        content = message.get("content")
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else member(message, "content", list)
        if kind == "user":
            self._user(number, at, blocks)
        elif self.turns:
            self._assistant(number, at, message, blocks, is_error=bool(line.get("isApiErrorMessage")))

    def _user(self, number: int, at: str | None, blocks: list[Any]) -> None:
        for block in blocks:
            if isinstance(block, dict) and block.get("type") == "tool_result":
                self._answered(at, block)
        text = "\n".join(text_of(block, "text") for block in blocks if _is(block, "text")).strip()
        if text.startswith(_INTERRUPTED):
            if self.turns:
                self.turns[-1].outcome, self.turns[-1].failure = "cancelled", "interrupted by the user"
        elif text and not text.startswith(_NO_PROMPT):
            if self.turns and self.turns[-1].outcome is None:
                self.turns[-1].outcome = "cancelled"
                self.turns[-1].failure = "another prompt came before it ended"
            self.turns.append(Turn(number, text))

    def _answered(self, at: str | None, block: Mapping[str, Any]) -> None:
        step = self._calls.pop(member(block, "tool_use_id", str), None)
        if step is not None:
            output = text_of(block.get("content"), "text")
            step.body = f"{step.body}\n{output}" if step.body else output
            step.is_error, step.ended_at = bool(block.get("is_error")), at

    def _assistant(
        self, number: int, at: str | None, message: Mapping[str, Any], blocks: list[Any], *, is_error: bool
    ) -> None:
        turn = self.turns[-1]
        words = "\n".join(text_of(block, "text") for block in blocks if _is(block, "text"))
        if is_error:
            turn.outcome, turn.failure = "failed", words or "the model's API failed"
            return
        if words.strip():
            turn.said.append(Said(number, words))
        for block in blocks:
            if _is(block, "thinking") and text_of(block, "thinking").strip():
                turn.steps.append(Step("model", "thinking", text_of(block, "thinking"), started_at=at))
            elif _is(block, "tool_use"):
                given = msgspec.json.encode(block.get("input")).decode()
                step = Step("tool", text_of(block.get("name")) or "tool", given, started_at=at)
                turn.steps.append(step)
                self._calls[member(block, "id", str)] = step
        self._count(turn, at, message)
        if turn.outcome != "cancelled":
            turn.outcome = "succeeded" if message.get("stop_reason") in _ENDS else None

    def _count(self, turn: Turn, at: str | None, message: Mapping[str, Any]) -> None:
        """Keep what an answer of the model took: each of its lines says so again, the last one knows best."""
        usage = message.get("usage")
        if not isinstance(usage, dict):
            return
        answer = text_of(message.get("id"))
        step = self._answers.get(answer)
        if step is None:
            step = self._answers[answer] = Step("model", text_of(message.get("model")) or "model", started_at=at)
            turn.steps.append(step)
        read = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
        step.input_tokens = sum(tokens(usage.get(name)) for name in read)
        step.output_tokens = tokens(usage.get("output_tokens"))
        step.ended_at = at


def _is(block: Any, kind: str) -> bool:
    return isinstance(block, dict) and block.get("type") == kind
