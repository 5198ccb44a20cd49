"""LiteLLM: the proxy's answers with native calls, whatever the model server made of the model's text.

    litellm_settings:
      callbacks: ["toolglot.litellm.handler"]

or, to switch it per key and per request, as a guardrail of the mode `post_call`: `guardrail: toolglot.litellm.Guardrail`.
"""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any

from litellm.exceptions import APIError
from litellm.integrations.custom_guardrail import CustomGuardrail
from litellm.integrations.custom_logger import CustomLogger
from litellm.types.utils import ModelResponse, ModelResponseStream

from . import _native, _settings
from ._host import new_seed
from ._settings import DialectLike


class _Hooks:
    """What both kinds of hooks do."""

    dialect: DialectLike = None
    options: dict[str, Any] = {}  # noqa: RUF012  (never changed)

    def _turn(self, request: dict[str, Any], stream: bool) -> _native.Turn | None:
        """What reads the answer to a request; nothing if it declares no tools."""
        if not request.get("tools"):
            return None
        asked = {"model": str(request.get("model") or ""), "messages": [], "tools": request["tools"], "stream": stream}
        if choice := request.get("tool_choice"):
            asked["tool_choice"] = choice
        known, options = _settings.dialects(self.dialect), _settings.options(self.options)
        try:
            exchange = _native.Exchange("chat", json.dumps(asked).encode(), known, options)
        except ValueError:
            return None
        return None if exchange.is_relay else exchange.turn(new_seed(), int(time.time()))

    async def async_post_call_success_hook(self, data: dict[str, Any], user_api_key_dict: Any, response: Any) -> Any:
        """Reads a whole answer."""
        turn = self._turn(data, stream=False) if isinstance(response, ModelResponse) else None
        if turn is None:
            return response
        try:
            body = turn.whole(response.model_dump_json(exclude_none=True).encode())
        except ValueError:
            return response
        made = ModelResponse(**json.loads(body))
        made._hidden_params = response._hidden_params
        return made

    async def async_post_call_streaming_iterator_hook(
        self, user_api_key_dict: Any, response: Any, request_data: dict[str, Any]
    ) -> AsyncIterator[ModelResponseStream]:
        """Reads a stream, as it comes."""
        turn = self._turn(request_data, stream=True)
        async for item in response:
            if turn is None or not isinstance(item, ModelResponseStream):
                yield item
                continue
            for chunk in _chunks(turn.push(b"data: " + item.model_dump_json(exclude_none=True).encode() + b"\n\n")):
                yield chunk
        if turn is not None:
            for chunk in _chunks(turn.push(b"data: [DONE]\n\n") + turn.finish()):
                yield chunk


def _chunks(frames: bytes) -> Iterator[ModelResponseStream]:
    for line in frames.split(b"\n"):
        data = line.removeprefix(b"data: ")
        if data == line or not data.startswith(b"{"):
            continue
        chunk = json.loads(data)
        if error := chunk.get("error"):
            raise APIError(502, error.get("message", "the answer broke off"), "toolglot", chunk.get("model") or "")
        yield ModelResponseStream(**chunk)


class Handler(_Hooks, CustomLogger):  # type: ignore[misc]
    """The callback for every request that declares tools."""

    def __init__(self, dialect: DialectLike = None, **options: Any) -> None:
        super().__init__()
        self.dialect, self.options = dialect, options


class Guardrail(_Hooks, CustomGuardrail):  # type: ignore[misc]
    """The same where the proxy's settings say so; `dialect` and options are keys of its `litellm_params`."""

    def __init__(self, dialect: DialectLike = None, validation: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.dialect, self.options = dialect, {"validation": validation}


handler = Handler()
