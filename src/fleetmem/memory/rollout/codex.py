"""Codex's rollouts: `~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl`, as 0.111.0 writes them.

Every line is `{timestamp, type, payload}`. Prompts and words are taken from `event_msg` (`user_message`, `agent_message`), where
they stand without the instructions that Codex puts around them; tools from `response_item`. Types that are not known here are
passed over: each version brings new ones.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from fleetmem.memory.rollout.turns import Said, Step, Turn, member, moment, part, text_of, tokens

_EXIT: Final = re.compile(r"^(?:Exit code:|Process exited with code) (-?[0-9]+)", re.MULTILINE)
_CALLS: Final = frozenset({"function_call", "custom_tool_call", "local_shell_call", "web_search_call"})
_OUTPUTS: Final = frozenset({"function_call_output", "custom_tool_call_output"})


class Reader:
    """Takes lines in order; `turns` and `session` are what they were."""

    def __init__(self) -> None:
        self.session: str | None = None
        self.turns: list[Turn] = []
        self._calls: dict[str, Step] = {}
        self._model = "model"
        self._spent = (0, 0)
        self._events: Mapping[str, Callable[[int, str | None, Mapping[str, Any]], None]] = {
            "user_message": self._asked,
            "agent_message": self._said,
            "agent_reasoning": self._reasoned,
            "token_count": self._counted,
            "task_complete": self._completed,
            "turn_complete": self._completed,
            "turn_aborted": self._aborted,
            "error": self._failed,
        }

    def take(self, number: int, line: Mapping[str, Any]) -> None:
        """Take one line.

        Raises:
            Malformed: it is of a known type and not shaped as that.
        """
        kind, payload = member(line, "type", str), member(line, "payload", dict)
        at = moment(line.get("timestamp"))
        if kind == "session_meta":
            self.session = self.session or member(payload, "id", str)
        elif kind == "turn_context":
            self._model = text_of(payload.get("model")) or self._model
        elif kind == "event_msg":
            event = self._events.get(member(payload, "type", str))
            if event is not None:
                event(number, at, payload)
        elif kind == "response_item":
            self._item(at, payload)

    @property
    def _open(self) -> Turn | None:
        return self.turns[-1] if self.turns and self.turns[-1].outcome is None else None

    def _asked(self, number: int, _at: str | None, event: Mapping[str, Any]) -> None:
        message = member(event, "message", str)
        if not message.strip():
            return
        if self._open is None:
            self.turns.append(Turn(number, message))
        else:  # steering, while the turn goes on
            self._open.said.append(Said(number, message, "human"))

    def _said(self, number: int, _at: str | None, event: Mapping[str, Any]) -> None:
        message = member(event, "message", str)
        if self._open is not None and message.strip():
            self._open.said.append(Said(number, message))

    def _reasoned(self, _number: int, at: str | None, event: Mapping[str, Any]) -> None:
        self._step(Step("model", "reasoning", text_of(event.get("text")), started_at=at))

    def _counted(self, _number: int, at: str | None, event: Mapping[str, Any]) -> None:
        """Tell from the session's growing total what the last answer of the model took; the same total comes twice."""
        total = part(part(event, "info"), "total_token_usage")
        spent = (tokens(total.get("input_tokens")), tokens(total.get("output_tokens")))
        more = (spent[0] - self._spent[0], spent[1] - self._spent[1])
        if min(more) >= 0 and max(more) > 0:
            self._spent = spent
            self._step(Step("model", self._model, input_tokens=more[0], output_tokens=more[1], ended_at=at))

    def _completed(self, _number: int, _at: str | None, _event: Mapping[str, Any]) -> None:
        turn = self._open
        if turn is not None:
            turn.outcome = "failed" if turn.failure else "succeeded"

    def _aborted(self, _number: int, _at: str | None, event: Mapping[str, Any]) -> None:
        turn = self._open
        if turn is not None:
            turn.outcome, turn.failure = "cancelled", text_of(event.get("reason")) or "aborted"

    def _failed(self, _number: int, _at: str | None, event: Mapping[str, Any]) -> None:
        if self._open is not None:
            self._open.failure = text_of(event.get("message")) or "error"

    def _item(self, at: str | None, item: Mapping[str, Any]) -> None:
        kind = member(item, "type", str)
        if kind in _CALLS:
            name = text_of(item.get("name")) or kind.removesuffix("_call")
            step = Step("tool", name, text_of(item.get("arguments")) or text_of(item.get("input")), started_at=at)
            self._step(step)
            if isinstance(call := item.get("call_id"), str):
                self._calls[call] = step
        elif kind in _OUTPUTS:
            answered = self._calls.pop(member(item, "call_id", str), None)
            if answered is not None:
                output = text_of(item.get("output"), "text", "content", "output")
                answered.body = f"{answered.body}\n{output}" if answered.body else output
                answered.ended_at = at
                answered.is_error = any(code != "0" for code in _EXIT.findall(output[:2000])[:1])

    def _step(self, step: Step) -> None:
        if self._open is not None:
            self._open.steps.append(step)
