"""Parsing of whole texts, pieces, streams, columns and arguments."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from typing import TYPE_CHECKING

from . import _native, _settings, _tools
from ._message import Event, Message, Outcome
from ._native import Diagnostic, MessageArray
from ._progress import Progress
from ._settings import DialectLike
from ._tools import ToolsLike

if TYPE_CHECKING:
    from typing_extensions import Unpack


@_settings.spelled_out
def parse(
    text: str | bytes,
    *,
    tools: ToolsLike = None,
    dialect: DialectLike = None,
    **options: Unpack[_settings.Options],
) -> Message:
    """Parses a whole text. Parsing never fails: `diagnostics` lists repairs and other findings, and explains why no call was
    found in a text that looks like one (`near_miss`).

        >>> parse("[TOOL_CALLS]ls[ARGS]{}").calls[0].name
        'ls'
    """
    parts = _native.parse(text, _settings.dialects(dialect), _tools.compiled(tools), _settings.options(options))
    return Message._of(parts)


@_settings.spelled_out
class Parser(_native.Parser):
    """Parses one message at a time, in pieces of any size. After `finish`, it is ready for the next message.

        >>> parser = Parser()
        >>> [event for piece in ("Hi. <tool", "_call>") for event in parser.push(piece)]
        [Text(text='Hi. ', start=0, end=4)]

    A parser is not thread-safe; concurrent use raises `RuntimeError`.
    """

    __slots__ = ()

    def __new__(
        cls,
        *,
        tools: ToolsLike = None,
        dialect: DialectLike = None,
        collect: bool = True,
        **options: Unpack[_settings.Options],
    ) -> Parser:
        """With `collect=False`, the parser keeps no text for `message`."""
        return super().__new__(
            cls, _settings.dialects(dialect), _tools.compiled(tools), _settings.options(options), collect
        )

    def message(self) -> Message:
        """Returns the message so far. It is complete after `finish`, until the next message begins.

        Raises `RuntimeError` with `collect=False`.
        """
        return Message._of(self.parts())


@_settings.spelled_out
def stream(
    chunks: Iterable[Any],
    *,
    tools: ToolsLike = None,
    dialect: DialectLike = None,
    **options: Unpack[_settings.Options],
) -> Iterator[Event]:
    """Yields the events of a stream of texts or of chunks of a chat completion (dicts, or a client library's types).

    >>> [event.type for event in stream(["[TOOL_CALLS]l", "s[ARGS]{}"])]
    ['call_start', 'arguments', 'arguments', 'call_end']
    """
    parser = Parser(tools=tools, dialect=dialect, collect=False, **options)
    reason: str | None = None
    for chunk in chunks:
        text, reason = _text(chunk, reason)
        if text:
            yield from parser.push(text)
    yield from parser.finish(reason)


@_settings.spelled_out
async def astream(
    chunks: AsyncIterable[Any],
    *,
    tools: ToolsLike = None,
    dialect: DialectLike = None,
    **options: Unpack[_settings.Options],
) -> AsyncIterator[Event]:
    """Does the same as `stream` for an asynchronous stream."""
    parser = Parser(tools=tools, dialect=dialect, collect=False, **options)
    reason: str | None = None
    async for chunk in chunks:
        text, reason = _text(chunk, reason)
        if text:
            for event in parser.push(text):
                yield event
    for event in parser.finish(reason):
        yield event


_REASONS = ("stop", "tool_calls", "length", "content_filter")


def _text(chunk: Any, reason: str | None) -> tuple[str | bytes, str | None]:
    """Returns the text of a chunk's first choice, and the finish reason if known."""
    if isinstance(chunk, (str, bytes)):
        return chunk, reason
    choices = _member(chunk, "choices")
    if choices is None:
        raise TypeError(f"expected str, bytes or a chunk of a chat completion, found {type(chunk).__name__}")
    if not choices:
        return "", reason
    delta, said = _member(choices[0], "delta"), _member(choices[0], "finish_reason")
    return _member(delta, "content") or "", said if said in _REASONS else reason


def _member(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else getattr(value, name, None)


#: Number of texts and bytes between checks for signals and progress reports.
_BATCH, _BATCH_BYTES = 1024, 1 << 20


@_settings.spelled_out
def parse_many(
    texts: Iterable[str | bytes],
    *,
    tools: ToolsLike = None,
    dialect: DialectLike = None,
    threads: int | None = None,
    progress: bool = False,
    near_misses: bool = True,
    **options: Unpack[_settings.Options],
) -> list[Message]:
    """Parses many texts and returns their messages in order. Ctrl-C stops it between two batches.

    `threads` is the number of threads; the default is all processors. `progress` shows the number of texts parsed and
    the speed on stderr. `near_misses=False` skips finding out why no call was found in a text that looks like one, which
    takes up to half a millisecond for each text without calls.
    """
    known, declared = _settings.dialects(dialect), _tools.compiled(tools)
    choices, workers = _settings.options(options), _settings.threads(threads)
    found: list[Message] = []
    shown = Progress(texts) if progress else None
    for batch in _batches(texts):
        found += map(Message._of, _native.parse_batch(batch, known, declared, choices, workers, near_misses))
        if shown:
            shown.update(len(found))
    if shown:
        shown.end(len(found))
    return found


def _batches(texts: Iterable[str | bytes]) -> Iterator[list[str | bytes]]:
    batch: list[str | bytes] = []
    size = 0
    for text in texts:
        batch.append(text)
        size += len(text)
        if len(batch) >= _BATCH or size >= _BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


@_settings.spelled_out
def parse_array(
    texts: Any,
    *,
    tools: Any = None,
    dialect: DialectLike = None,
    threads: int | None = None,
    near_misses: bool = True,
    **options: Unpack[_settings.Options],
) -> MessageArray:
    """Parses a column of texts and returns a column of messages.

    `texts` is any object that exports an Arrow array of strings, for example from pyarrow, Polars, pandas, DuckDB or
    arro3. `tools` are the same for all rows, or a column of JSON texts. Pass the result to any of these libraries:
    `pyarrow.array(result)`, `polars.Series(result)`. Texts never cause errors; invalid tools are reported as a diagnostic
    of their row. For `threads` and `near_misses`, see `parse_many`.
    """
    column = tools if hasattr(tools, "__arrow_c_array__") or hasattr(tools, "__arrow_c_stream__") else None
    common = _tools.compiled(None if column is not None else tools)
    known, choices = _settings.dialects(dialect), _settings.options(options)
    return _native.parse_array(texts, known, common, column, choices, (_settings.threads(threads), near_misses))


@dataclass(frozen=True, slots=True)
class Repaired:
    """The result of `repair`."""

    #: A JSON object as text; None if the arguments cannot be read.
    arguments: str | None
    #: What was repaired, or why it failed.
    diagnostics: tuple[Diagnostic, ...]


@_settings.spelled_out
def repair(
    arguments: str | bytes,
    *,
    tools: ToolsLike = None,
    tool: str | None = None,
    dialect: DialectLike = None,
    **options: Unpack[_settings.Options],
) -> Repaired:
    """Repairs the `arguments` string of a call to `tool`, or to the only one of `tools`, in any notation.

    >>> repair("{'city': 'Paris',}").arguments
    '{"city": "Paris"}'
    """
    known, declared = _settings.dialects(dialect), _tools.compiled(tools)
    found, diagnostics = _native.repair(arguments, known, declared, tool, _settings.options(options))
    return Repaired(found, tuple(diagnostics))


@dataclass(frozen=True, slots=True)
class ArgumentsEnd:
    """The end of a call's arguments."""

    #: The remaining JSON.
    json: str
    outcome: Outcome
    diagnostics: tuple[Diagnostic, ...]
    #: The text after the object.
    rest: str


@_settings.spelled_out
class ArgumentsReader:
    """Repairs the arguments string of a native call in pieces.

    >>> reader = ArgumentsReader("wait")
    >>> reader.push('{"da') + reader.push('ys": 3,}') + reader.finish().json
    '{"days": 3}'
    """

    __slots__ = ("_reader",)

    def __init__(
        self,
        tool: str,
        *,
        tools: ToolsLike = None,
        dialect: DialectLike = None,
        **options: Unpack[_settings.Options],
    ) -> None:
        known, declared = _settings.dialects(dialect), _tools.compiled(tools)
        self._reader = _native.ArgumentsReader(known, declared, tool, _settings.options(options))

    def push(self, text: str | bytes) -> str:
        """Reads the next piece and returns the JSON that is now certain."""
        return self._reader.push(text)

    def finish(self) -> ArgumentsEnd:
        """Ends the arguments. Raises `RuntimeError` if called again."""
        json, outcome, diagnostics, rest = self._reader.finish()
        return ArgumentsEnd(json, outcome, tuple(diagnostics), rest)
