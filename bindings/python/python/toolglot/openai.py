"""The clients of OpenAI and Anthropic: native tool calls from any model server, without a proxy.

    http = httpx.Client(transport=toolglot.openai.transport(httpx.HTTPTransport()))
    client = OpenAI(base_url="http://localhost:8000/v1", http_client=http)

It adapts requests so that the server returns what parsing needs, and converts answers to native calls, whole or streamed.
It supports Chat Completions, Responses and Messages, each with a server that supports the protocol. It works at the
transport level, so all methods of the client keep their types.
"""

from __future__ import annotations

import copy
import importlib
from collections.abc import AsyncIterator, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

from . import _native, _settings
from ._settings import DialectLike

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = [
    "transport",
    "wrap",
]

Client = TypeVar("Client")

#: The protocols, by the end of their paths.
_PATHS = {"/chat/completions": "chat", "/responses": "responses", "/messages": "messages"}

#: The HTTP libraries of clients; newer clients use the second.
_LIBRARIES = ("httpx", "httpx2")


@_settings.spelled_out
def wrap(client: Client, *, dialect: DialectLike = None, **options: Unpack[_settings.Options]) -> Client:
    """Returns a copy of a client (`OpenAI`, `AsyncOpenAI`, `Anthropic` or `AsyncAnthropic`) whose answers have native calls.

    It replaces a private attribute of the client; creating a client with a `transport` avoids this. Raises `TypeError` for
    any other client.
    """
    http = getattr(client, "_client", None)
    if _library(http) is None or not hasattr(http, "_transport"):
        raise TypeError(f"expected a client of OpenAI or Anthropic, found {type(client).__name__}")
    kind = _transports(_library(http) or "")[hasattr(http, "aclose")]
    reading, wrapped = _Reading(dialect, options), copy.copy(http)
    wrapped._transport = kind(http._transport, reading)
    wrapped._mounts = {pattern: mount and kind(mount, reading) for pattern, mount in http._mounts.items()}
    return client.copy(http_client=wrapped)  # type: ignore[attr-defined, no-any-return]


@_settings.spelled_out
def transport(inner: Any, *, dialect: DialectLike = None, **options: Unpack[_settings.Options]) -> Any:
    """Wraps an httpx transport, for the `http_client` of a client, so that answers have native calls.

    Raises `TypeError` if `inner` is not a transport.
    """
    library = _library(inner)
    if library is None:
        raise TypeError(f"expected a transport of httpx, found {type(inner).__name__}")
    kind = _transports(library)[hasattr(inner, "handle_async_request")]
    return kind(inner, _Reading(dialect, options))


def _library(value: Any) -> str | None:
    """Returns the HTTP library of an object's class."""
    names = {base.__module__.split(".")[0] for base in type(value).__mro__}
    return next((library for library in _LIBRARIES if library in names), None)


class _Reading:
    """The settings for requests and answers."""

    def __init__(self, dialect: DialectLike, options: Any) -> None:
        self._dialects = _settings.dialects(dialect)
        self._options = _settings.options(options)
        self._reasoning_open = options.get("reasoning_open") is True

    def exchange(self, request: Any, body: bytes) -> _native.Exchange | None:
        """Reads a request; returns None if its answer cannot contain calls."""
        protocol = next((name for end, name in _PATHS.items() if request.url.path.endswith(end)), None)
        if protocol is None or request.method != "POST":
            return None
        try:
            exchange = _native.Exchange(
                body, (protocol, protocol), self._dialects, self._options, reasoning_open=self._reasoning_open
            )
        except ValueError:
            return None  # The server returns a better error.
        return None if exchange.is_relay else exchange


def _whole(turn: _native.Turn, body: bytes) -> bytes:
    try:
        return turn.whole(body)
    except ValueError:
        return body  # The client handles invalid answers.


@lru_cache
def _transports(library: str) -> tuple[type, type]:
    """Returns the synchronous and the asynchronous transport for a library."""
    httpx = importlib.import_module(library)

    def sent(request: Any, exchange: _native.Exchange) -> Any:
        headers = [(name, value) for name, value in request.headers.raw if name.lower() != b"content-length"]
        return httpx.Request(
            request.method, request.url, headers=headers, content=exchange.body, extensions=request.extensions
        )

    def answered(request: Any, response: Any, **content: Any) -> Any:
        # The body was decoded and changed.
        gone = (b"content-length", b"content-encoding", b"transfer-encoding")
        headers = [(name, value) for name, value in response.headers.raw if name.lower() not in gone]
        return httpx.Response(
            response.status_code, headers=headers, request=request, extensions=response.extensions, **content
        )

    def is_stream(response: Any) -> bool:
        return str(response.headers.get("content-type", "")).startswith("text/event-stream")

    class Stream(httpx.SyncByteStream):  # type: ignore[misc, name-defined]
        def __init__(self, turn: _native.Turn, response: Any) -> None:
            self._turn, self._response = turn, response

        def __iter__(self) -> Iterator[bytes]:
            for piece in self._response.iter_bytes():
                if out := self._turn.push(piece):
                    yield out
            if out := self._turn.finish():
                yield out

        def close(self) -> None:
            self._response.close()

    class AsyncStream(httpx.AsyncByteStream):  # type: ignore[misc, name-defined]
        def __init__(self, turn: _native.Turn, response: Any) -> None:
            self._turn, self._response = turn, response

        async def __aiter__(self) -> AsyncIterator[bytes]:
            async for piece in self._response.aiter_bytes():
                if out := self._turn.push(piece):
                    yield out
            if out := self._turn.finish():
                yield out

        async def aclose(self) -> None:
            await self._response.aclose()

    class Transport(httpx.BaseTransport):  # type: ignore[misc, name-defined]
        def __init__(self, inner: Any, reading: _Reading) -> None:
            self._inner, self._reading = inner, reading

        def handle_request(self, request: Any) -> Any:
            exchange = self._reading.exchange(request, request.read())
            if exchange is None:
                return self._inner.handle_request(request)
            response = self._inner.handle_request(sent(request, exchange))
            if response.status_code != 200:
                return response
            turn = exchange.turn()
            if is_stream(response):
                return answered(request, response, stream=Stream(turn, response))
            body = _whole(turn, response.read())
            response.close()
            return answered(request, response, content=body)

        def close(self) -> None:
            self._inner.close()

    class AsyncTransport(httpx.AsyncBaseTransport):  # type: ignore[misc, name-defined]
        def __init__(self, inner: Any, reading: _Reading) -> None:
            self._inner, self._reading = inner, reading

        async def handle_async_request(self, request: Any) -> Any:
            exchange = self._reading.exchange(request, await request.aread())
            if exchange is None:
                return await self._inner.handle_async_request(request)
            response = await self._inner.handle_async_request(sent(request, exchange))
            if response.status_code != 200:
                return response
            turn = exchange.turn()
            if is_stream(response):
                return answered(request, response, stream=AsyncStream(turn, response))
            body = _whole(turn, await response.aread())
            await response.aclose()
            return answered(request, response, content=body)

        async def aclose(self) -> None:
            await self._inner.aclose()

    return Transport, AsyncTransport
