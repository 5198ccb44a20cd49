"""LiteLLM: native tool calls in the proxy's answers, even if the model server returns them as text.

    litellm_settings:
      callbacks: ["toolglot.litellm.handler"]

or, to enable it for each key or request, as a guardrail with the mode `post_call`: `guardrail: toolglot.litellm.Guardrail`.
It parses answers of `/v1/chat/completions` and `/v1/messages`, whole and streamed, but not of `/v1/responses`.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING, Any

from litellm.exceptions import APIError
from litellm.integrations.custom_guardrail import CustomGuardrail
from litellm.integrations.custom_logger import CustomLogger
from litellm.types.utils import ModelResponse, ModelResponseStream

from . import _native, _settings
from ._settings import DialectLike, Options, spelled_out

if TYPE_CHECKING:
    from typing_extensions import Unpack


def _turn(dialect: DialectLike, options: dict[str, Any], request: dict[str, Any], stream: bool) -> _native.Turn | None:
    """Returns a turn that parses the answer to a request; None if the request declares no tools."""
    tools = request.get("tools")
    if not tools:
        return None
    asked = {"model": str(request.get("model") or ""), "messages": [], "tools": tools, "stream": stream}
    if choice := request.get("tool_choice"):
        asked["tool_choice"] = choice
    protocol = _protocol(tools)
    if protocol == "chat":
        # LiteLLM removes the usage again if the client has not requested it.
        asked["stream_options"] = {"include_usage": True}
    known, chosen = _settings.dialects(dialect), _settings.options(options)
    try:
        opened = options.get("reasoning_open") is True
        exchange = _native.Exchange(json.dumps(asked), (protocol, protocol), known, chosen, reasoning_open=opened)
    except ValueError:
        return None
    return None if exchange.is_relay else exchange.turn()


def _protocol(tools: Any) -> str:
    """Anthropic's clients declare tools with an `input_schema`; LiteLLM passes the request on unchanged."""
    is_messages = any(isinstance(tool, dict) and "input_schema" in tool for tool in tools)
    return "messages" if is_messages else "chat"


def _whole(turn: _native.Turn, response: Any) -> Any:
    """Parses a whole answer; returns anything else unchanged."""
    is_chat = isinstance(response, ModelResponse)
    if not is_chat and not isinstance(response, dict):
        return response
    try:
        body = turn.whole((response.model_dump_json(exclude_none=True) if is_chat else json.dumps(response)).encode())
    except (TypeError, ValueError):
        return response
    if not is_chat:
        return {**response, **json.loads(body)}
    made = ModelResponse(**json.loads(body))
    made._hidden_params = response._hidden_params
    return made


async def _streamed(turn: _native.Turn | None, response: Any) -> AsyncIterator[Any]:
    """Parses a stream: chunks of Chat Completions, or bytes of Messages."""
    is_bytes = False
    async for item in response:
        if turn is None or not isinstance(item, (ModelResponseStream, bytes, str)):
            yield item
        elif isinstance(item, ModelResponseStream):
            for chunk in _chunks(turn.push(b"data: " + item.model_dump_json(exclude_none=True).encode() + b"\n\n")):
                yield chunk
        else:
            is_bytes = True
            if out := turn.push(item.encode() if isinstance(item, str) else item):
                yield out
    if turn is None:
        return
    if is_bytes:
        if out := turn.finish():
            yield out
        return
    for chunk in _chunks(turn.push(b"data: [DONE]\n\n") + turn.finish()):
        yield chunk


def _chunks(frames: bytes) -> Iterator[ModelResponseStream]:
    for line in frames.split(b"\n"):
        data = line.removeprefix(b"data: ")
        if data == line or not data.startswith(b"{"):
            continue
        chunk = json.loads(data)
        if error := chunk.get("error"):
            raise APIError(502, error.get("message", "the answer was interrupted"), "toolglot", chunk.get("model") or "")
        yield ModelResponseStream(**chunk)


class _Hooks:
    """Shared code of both hooks."""

    dialect: DialectLike = None
    options: dict[str, Any] = {}  # noqa: RUF012  (never changed)

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        # LiteLLM's proxy looks for the streaming hook only in the callback's class, not in its bases.
        if "async_post_call_streaming_iterator_hook" not in cls.__dict__:
            cls.async_post_call_streaming_iterator_hook = cls.async_post_call_streaming_iterator_hook  # type: ignore[method-assign]

    async def async_post_call_success_hook(self, data: dict[str, Any], user_api_key_dict: Any, response: Any) -> Any:
        """Parses a whole answer."""
        turn = _turn(self.dialect, self.options, data, stream=False)
        return response if turn is None else _whole(turn, response)

    async def async_post_call_streaming_iterator_hook(
        self, user_api_key_dict: Any, response: Any, request_data: dict[str, Any]
    ) -> AsyncIterator[Any]:
        """Parses a stream."""
        async for item in _streamed(_turn(self.dialect, self.options, request_data, stream=True), response):
            yield item


@spelled_out
class Handler(_Hooks, CustomLogger):  # type: ignore[misc]
    """A callback for every request that declares tools."""

    def __init__(self, dialect: DialectLike = None, **options: Unpack[Options]) -> None:
        super().__init__()
        self.dialect, self.options = dialect, options


class Guardrail(_Hooks, CustomGuardrail):  # type: ignore[misc]
    """A guardrail, configured by `dialect` and `validation` in its `litellm_params`."""

    def __init__(self, dialect: DialectLike = None, validation: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.dialect, self.options = dialect, {"validation": validation}


handler = Handler()
