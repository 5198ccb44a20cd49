"""Reading: whole texts, pieces, streams, columns, arguments."""

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
    """Reads a whole text. Reading never fails: what was remarkable is in `diagnostics`, and why no call was found in a text
    that looks like one (`near_miss`).

        >>> parse("[TOOL_CALLS]ls[ARGS]{}").calls[0].name
        'ls'
    """
    parts = _native.parse(text, _settings.dialects(dialect), _tools.compiled(tools), _settings.options(options))
    return Message._of(parts)


@_settings.spelled_out
class Parser(_native.Parser):
    """Reads one message at a time, in pieces of any size; `finish` makes it ready for the next.

        >>> parser = Parser()
        >>> [event for piece in ("Hi. <tool", "_call>") for event in parser.push(piece)]
        [Text(text='Hi. ', start=0, end=4)]

    A parser is for one thread; another one that uses it at the same time gets a `RuntimeError`.
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
        """`collect=False` keeps no copy of the text for `message`."""
        return super().__new__(
            cls, _settings.dialects(dialect), _tools.compiled(tools), _settings.options(options), collect
        )

    def message(self) -> Message:
        """Returns the message so far; whole behind `finish`, until the next one begins.

        Raises `RuntimeError` if nothing was collected.
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
    """Yields the events of a stream of texts, or of chunks of a chat completion: dicts, or a client library's own.

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
    """Yields the events of an asynchronous stream, as `stream` does."""
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
    """The text of a chunk's first choice, and why the server stopped, if it has said so."""
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


#: Texts, and bytes of them, between two looks at the signals and the progress.
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
    """Reads many texts and returns their messages, in order; Ctrl-C ends it between two batches.

    `threads` is how many threads read, all processors unless it says otherwise. `progress` shows on stderr how many texts
    were read and how fast. `near_misses=False` does not say why no call was found in a text that looks like one; that costs
    up to half a millisecond for a text without calls.
    """
    known, declared = _settings.dialects(dialect), _tools.compiled(tools)
    choices, workers = _settings.options(options), _settings.threads(threads)
    found: list[Message] = []
    shown = Progress(texts) if progress else None
    for batch in _batches(texts):
        found += map(Message._of, _native.parse_batch(batch, known, declared, choices, workers, near_misses))
        if shown:
            shown.tell(len(found))
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
    """Reads a column of texts; gives a column of messages, one a row.

    `texts` is anything that hands out an Arrow array of strings: of pyarrow, Polars, pandas, DuckDB, arro3. `tools` are
    the same for all rows, or a column of JSON texts. The result goes to any such library: `pyarrow.array(result)`,
    `polars.Series(result)`. Nothing in a text is an error; tools that cannot be used are a diagnostic of their row.
    `threads` and `near_misses` are those of `parse_many`.
    """
    column = tools if hasattr(tools, "__arrow_c_array__") or hasattr(tools, "__arrow_c_stream__") else None
    common = _tools.compiled(None if column is not None else tools)
    known, choices = _settings.dialects(dialect), _settings.options(options)
    return _native.parse_array(texts, known, common, column, choices, (_settings.threads(threads), near_misses))


@dataclass(frozen=True, slots=True)
class Repaired:
    """What `repair` made of a string."""

    #: The text of one JSON object; None if nothing could be recognised.
    arguments: str | None
    #: What was done, or why it failed.
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
    """Reads the `arguments` of a call of `tool`, or of the only one of `tools`, whatever they are written in.

    >>> repair("{'city': 'Paris',}").arguments
    '{"city": "Paris"}'
    """
    known, declared = _settings.dialects(dialect), _tools.compiled(tools)
    found, diagnostics = _native.repair(arguments, known, declared, tool, _settings.options(options))
    return Repaired(found, tuple(diagnostics))


@dataclass(frozen=True, slots=True)
class ArgumentsEnd:
    """How the arguments of a call ended."""

    #: The JSON that was still open.
    json: str
    outcome: Outcome
    diagnostics: tuple[Diagnostic, ...]
    #: What stands behind the object.
    rest: str


@_settings.spelled_out
class ArgumentsReader:
    """Reads the arguments string of a native call, piece by piece.

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
        """Reads on; returns the JSON that is certain now."""
        return self._reader.push(text)

    def finish(self) -> ArgumentsEnd:
        """Ends the arguments; raises `RuntimeError` the second time."""
        json, outcome, diagnostics, rest = self._reader.finish()
        return ArgumentsEnd(json, outcome, tuple(diagnostics), rest)
