"""Requests to model servers, and the conversion of their answers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from . import _native, _settings
from ._settings import DialectLike

if TYPE_CHECKING:
    from typing_extensions import Unpack

#: A protocol of clients and model servers: Chat Completions, Responses, Messages, Ollama's.
Protocol: TypeAlias = Literal["chat", "responses", "messages", "ollama"]


@_settings.exchange_spelled_out
class Exchange(_native.Exchange):
    """A client's request to a model server. It does no I/O: send `body` to the server, and pass its answer to a `turn`.

    In the converted answer, calls that the model wrote as text are native calls, and invalid arguments of native calls are
    repaired; everything else is unchanged.

        >>> tools = [{"type": "function", "function": {"name": "ls", "parameters": {"type": "object"}}}]
        >>> exchange = Exchange({"model": "m", "messages": [], "tools": tools}, engine="vllm")
        >>> json.loads(exchange.body)["skip_special_tokens"]
        False
        >>> message = {"role": "assistant", "content": "[TOOL_CALLS]ls[ARGS]{}"}
        >>> answer = exchange.turn().whole(json.dumps({"choices": [{"index": 0, "message": message}]}))
        >>> json.loads(answer)["choices"][0]["finish_reason"]
        'tool_calls'

    Args:
        request: The body of the client's request: a dict, or JSON as `str` or UTF-8 bytes.
        client: The client's protocol: `chat` (Chat Completions), `responses`, `messages` (Anthropic) or `ollama`.
        server: The server's protocol.
        dialect: The dialects to read: a name, the path of a file, or several. Default: all.
        engine: The server's program, which decides what `body` must ask for so that markers stay in the text.
        forced: Whether to look for calls even if the request declares no tools.
        reasoning_field: The member for reasoning in answers to chat clients.
        history_ids: How to write the ids of earlier calls for the server: `kept` unchanged, `nine` letters and digits for
            Mistral's chat templates, `counted` for Kimi's.
        upstream_model: The model's name on the server, if it is different.
        reasoning_open: Whether the prompt opened a reasoning region.

    An invalid request raises `ExchangeError`.
    """

    __slots__ = ()

    def __new__(
        cls,
        request: str | bytes | Mapping[str, Any],
        *,
        client: Protocol = "chat",
        server: Protocol = "chat",
        dialect: DialectLike = None,
        engine: Literal["generic", "vllm", "sglang", "llama.cpp", "ollama", "lmstudio", "mlx-lm"] = "generic",
        forced: bool = False,
        reasoning_field: Literal["reasoning_content", "reasoning", "both"] = "reasoning_content",
        history_ids: Literal["kept", "nine", "counted"] = "kept",
        upstream_model: str | None = None,
        reasoning_open: bool = False,
        **options: Unpack[_settings.ExchangeOptions],
    ) -> Exchange:
        body = request if isinstance(request, (str, bytes)) else json.dumps(request, ensure_ascii=False)
        return super().__new__(
            cls,
            body,
            (client, server),
            _settings.dialects(dialect),
            _settings.exchange_options(options),
            engine=engine,
            forced=forced,
            reasoning_field=reasoning_field,
            history_ids=history_ids,
            upstream_model=upstream_model,
            reasoning_open=reasoning_open,
        )
