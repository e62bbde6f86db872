"""The `openai` extractor: one chat completion at any endpoint that speaks OpenAI's protocol, bounded in every direction.

Everything that leaves has been screened for secrets. One deadline holds for all attempts together and for every octet of the
answer, so that neither a slow drip nor a retry outlives it. The SDK retries what it calls retryable (no connection, 408, 409, 429
and 5xx) twice, with its back-off. Redirects are refused: a transcript goes to the host that the owner named, or nowhere.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, Literal
from urllib.parse import urlsplit

import httpx2
import msgspec
import openai
from openai.types.chat import ChatCompletionMessageParam, completion_create_params

from fleetmem.memory import note
from fleetmem.memory.policy import Secrets
from fleetmem.memory.screen import screened
from fleetmem.memory.transcript import Transcript
from fleetmem.models import prompt
from fleetmem.models.extractor import Extraction, Failure
from fleetmem.models.prompt import Asked

Form = Literal["json_schema", "json_object", "text"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Where a model answers and how it is asked. `timeout_s` is for everything together; tokens are those of the answer.

    `form` is what makes it answer in JSON: a schema, JSON of any kind, or the instructions alone.
    """

    url: str
    model: str
    key: str | None = field(default=None, repr=False)
    timeout_s: float = 120
    most_tokens: int = 4_096
    form: Form = "json_schema"
    most_bytes: int = 1_048_576
    retries: int = 2


class _Message(msgspec.Struct):
    content: str | None = None
    refusal: str | None = None


class _Choice(msgspec.Struct):
    message: _Message
    finish_reason: str | None = None


class _Usage(msgspec.Struct):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class _Completion(msgspec.Struct):
    choices: list[_Choice]
    model: str | None = None
    usage: _Usage | None = None


class _Failed(Exception):  # noqa: N818 -- a state of the answer, named as such
    def __init__(self, failure: Failure, detail: str | None = None) -> None:
        super().__init__(failure.value)
        self.failure = failure
        self.detail = detail


@dataclass(frozen=True, slots=True)
class OpenAiNotes:
    """Asks a model for notes. It runs an event loop of its own, so it is called where none is running."""

    endpoint: Endpoint
    secrets: Secrets = field(repr=False)
    budget: int = prompt.BUDGET
    name: str = "openai"

    def extract(self, transcript: Transcript) -> Extraction:
        """Distil one segment; whatever the endpoint does comes back as a named failure."""
        asked = prompt.build(screened(self.secrets, transcript), budget=self.budget)
        try:
            completion = asyncio.run(self._within_time(asked))
            answer = _content(completion)
            drafts, withheld = _drafts(answer)
        except _Failed as failed:
            return Extraction(
                provider=self.name, failure=failed.failure, detail=failed.detail, model=self.endpoint.model
            )
        usage = completion.usage or _Usage()
        return Extraction(
            provider=self.name,
            notes=drafts,
            withheld=withheld,
            numbering=asked.numbering,
            failure=None if drafts else Failure.NO_NOTES,
            model=self.endpoint.model,
            tokens_in=usage.prompt_tokens,
            tokens_out=usage.completion_tokens,
        )

    async def _within_time(self, asked: Asked) -> _Completion:
        try:
            async with asyncio.timeout(self.endpoint.timeout_s):
                return await _ask(self.endpoint, asked)
        except (TimeoutError, openai.APITimeoutError) as error:
            raise _Failed(Failure.TIMEOUT) from error
        except openai.APIStatusError as error:
            raise _Failed(_of_status(error.status_code), f"status {error.status_code}") from error
        except openai.APIConnectionError as error:
            raise _Failed(Failure.UNREACHABLE, type(error.__cause__ or error).__name__) from error
        except httpx2.HTTPError as error:
            # The head of an answer came and its rest did not.
            raise _Failed(Failure.TRUNCATED, type(error).__name__) from error


async def _ask(endpoint: Endpoint, asked: Asked) -> _Completion:
    http = openai.DefaultAsyncHttpxClient(follow_redirects=False, timeout=endpoint.timeout_s)
    client = openai.AsyncOpenAI(
        # A server that asks for no key gets a word in its place, since the SDK would look for one elsewhere.
        api_key=endpoint.key or "none",
        base_url=endpoint.url,
        max_retries=endpoint.retries,
        timeout=endpoint.timeout_s,
        http_client=http,
        # Uncompressed, so that its length is known while it arrives.
        default_headers={"Accept-Encoding": "identity"},
    )
    async with client:
        call = client.chat.completions.with_streaming_response.create(
            model=endpoint.model,
            messages=_messages(asked),
            response_format=_FORMATS[endpoint.form](),
            temperature=0,
            **_bound(endpoint),
        )
        async with call as response:
            if response.headers.get("content-encoding", "identity") != "identity":
                raise _Failed(Failure.INVALID_JSON, "compressed")
            octets = bytearray()
            async for chunk in response.iter_bytes():
                octets += chunk
                if len(octets) > endpoint.most_bytes:
                    raise _Failed(Failure.TOO_LARGE)
    try:
        return msgspec.json.decode(bytes(octets), type=_Completion)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise _Failed(Failure.INVALID_JSON, "completion") from error


def _messages(asked: Asked) -> list[ChatCompletionMessageParam]:
    return [{"role": "system", "content": asked.system}, {"role": "user", "content": asked.user}]


def _bound(endpoint: Endpoint) -> dict[str, Any]:
    """Return the limit of the answer under the name that the endpoint knows: OpenAI renamed it, most others have not."""
    is_openai = urlsplit(endpoint.url).hostname == _OPENAI
    return {"max_completion_tokens" if is_openai else "max_tokens": endpoint.most_tokens}


def _content(completion: _Completion) -> str:
    if not completion.choices:
        raise _Failed(Failure.INVALID_JSON, "no choice")
    choice = completion.choices[0]
    if choice.message.refusal or choice.finish_reason == "content_filter":
        raise _Failed(Failure.REFUSED, choice.finish_reason)
    if choice.finish_reason == "length":
        raise _Failed(Failure.TRUNCATED, "length")
    return choice.message.content or ""


def _drafts(answer: str) -> tuple[tuple[note.Draft, ...], tuple[note.Withheld, ...]]:
    try:
        return note.parse(_unfenced(answer))
    except note.Unreadable as error:
        raise _Failed(Failure.INVALID_JSON, "notes") from error


def _unfenced(answer: str) -> str:
    """Take off the code fence that models without structured output like to put around JSON."""
    bare = answer.strip()
    if bare.startswith("```") and bare.endswith("```"):
        return bare[3:-3].removeprefix("json").strip()
    return bare


def _of_status(status: int) -> Failure:
    if status == _PAYLOAD_TOO_LARGE:
        return Failure.TOO_LARGE
    is_passing = status in {408, 409, 425, 429} or status >= 500  # noqa: PLR2004 -- what a server cannot do now
    return Failure.UNREACHABLE if is_passing else Failure.REFUSED


_OPENAI: Final = "api.openai.com"
_PAYLOAD_TOO_LARGE: Final = 413
_FORMATS: Final[dict[Form, Callable[[], completion_create_params.ResponseFormat]]] = {
    "json_schema": lambda: {
        "type": "json_schema",
        "json_schema": {"name": "notes", "strict": True, "schema": note.schema()},
    },
    "json_object": lambda: {"type": "json_object"},
    "text": lambda: {"type": "text"},
}
