"""The compiled part of the package. Use `toolglot` instead, which has types and documentation."""

from collections.abc import Sequence
from typing import Any, ClassVar, final

from typing_extensions import disjoint_base

from ._inspection import ByteKind
from ._message import Event, MessageParts, Outcome

__all__ = [
    "Arguments",
    "ArgumentsReader",
    "CallEnd",
    "CallStart",
    "Diagnostic",
    "Dialect",
    "DialectError",
    "Dialects",
    "Exchange",
    "ExchangeError",
    "GrammarError",
    "Markup",
    "MessageArray",
    "Options",
    "Parser",
    "Reasoning",
    "RenderError",
    "Text",
    "ToolglotError",
    "Tools",
    "Turn",
    "__version__",
    "certify",
    "codes",
    "detect",
    "explain",
    "grammar",
    "inspect",
    "main",
    "mint",
    "near_miss",
    "parse",
    "parse_array",
    "parse_batch",
    "render",
    "repair",
    "sketch",
]

__version__: str

@final
class Text:
    """Text of the answer, unchanged."""

    __match_args__: ClassVar[tuple[str, str, str]]
    type: ClassVar[str]
    def __new__(cls, text: str, start: int, end: int) -> Text: ...
    @property
    def text(self) -> str: ...
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    def to_dict(self) -> dict[str, Any]: ...
    def __getnewargs__(self) -> tuple[Any, ...]: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Reasoning:
    """Text of the model's reasoning."""

    __match_args__: ClassVar[tuple[str, str, str]]
    type: ClassVar[str]
    def __new__(cls, text: str, start: int, end: int) -> Reasoning: ...
    @property
    def text(self) -> str: ...
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    def to_dict(self) -> dict[str, Any]: ...
    def __getnewargs__(self) -> tuple[Any, ...]: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Markup:
    """Bytes that are markup of the dialect."""

    __match_args__: ClassVar[tuple[str, str]]
    type: ClassVar[str]
    def __new__(cls, start: int, end: int) -> Markup: ...
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    def to_dict(self) -> dict[str, Any]: ...
    def __getnewargs__(self) -> tuple[Any, ...]: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class CallStart:
    """A call begins. It is never retracted."""

    __match_args__: ClassVar[tuple[str, str, str, str, str]]
    type: ClassVar[str]
    def __new__(cls, index: int, id: str | None, name: str, start: int, end: int) -> CallStart: ...
    @property
    def index(self) -> int: ...
    @property
    def id(self) -> str | None: ...
    @property
    def name(self) -> str: ...
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    def to_dict(self) -> dict[str, Any]: ...
    def __getnewargs__(self) -> tuple[Any, ...]: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Arguments:
    """A piece of a call's arguments."""

    __match_args__: ClassVar[tuple[str, str, str, str]]
    type: ClassVar[str]
    def __new__(cls, index: int, json: str, start: int, end: int) -> Arguments: ...
    @property
    def index(self) -> int: ...
    @property
    def json(self) -> str: ...
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    def to_dict(self) -> dict[str, Any]: ...
    def __getnewargs__(self) -> tuple[Any, ...]: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class CallEnd:
    """A call ends."""

    __match_args__: ClassVar[tuple[str, str, str, str, str]]
    type: ClassVar[str]
    def __new__(cls, index: int, id: str | None, outcome: Outcome, start: int, end: int) -> CallEnd: ...
    @property
    def index(self) -> int: ...
    @property
    def id(self) -> str | None: ...
    @property
    def outcome(self) -> Outcome: ...
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    def to_dict(self) -> dict[str, Any]: ...
    def __getnewargs__(self) -> tuple[Any, ...]: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Diagnostic:
    """A remark on the text, such as a repair; never an error."""

    __match_args__: ClassVar[tuple[str, str, str, str, str]]
    type: ClassVar[str]
    def __new__(cls, code: str, message: str, dialect: str | None, start: int, end: int) -> Diagnostic: ...
    @property
    def code(self) -> str: ...
    @property
    def message(self) -> str: ...
    @property
    def dialect(self) -> str | None: ...
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    def to_dict(self) -> dict[str, Any]: ...
    def __getnewargs__(self) -> tuple[Any, ...]: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Dialect:
    """A dialect: how a family of models writes tool calls and reasoning."""

    @property
    def name(self) -> str: ...
    @property
    def about(self) -> str: ...
    @property
    def aliases(self) -> list[str]: ...
    @property
    def models(self) -> list[str]: ...
    @property
    def special(self) -> list[str]: ...
    @property
    def source(self) -> str: ...

@final
class Dialects:
    """An ordered set of dialects, compiled once."""

    def __new__(cls, *names: str) -> Dialects: ...
    @staticmethod
    def from_toml(name: str, source: str) -> Dialects: ...
    @staticmethod
    def from_sources(sources: Sequence[tuple[str, str]]) -> Dialects: ...
    def preferring(self, other: Dialects) -> Dialects: ...
    def get(self, name: str) -> Dialect | None: ...
    @property
    def names(self) -> list[str]: ...
    @property
    def is_sealed(self) -> bool: ...
    def __len__(self) -> int: ...
    def __contains__(self, name: str, /) -> bool: ...
    def __getitem__(self, at: int, /) -> Dialect: ...
    def __reduce__(self) -> tuple[Any, Any]: ...

@disjoint_base
class Tools:
    def __new__(cls, json: str) -> Tools: ...
    @property
    def names(self) -> list[str]: ...
    def resolve(self, name: str) -> str | None: ...
    def __len__(self) -> int: ...

@final
class Options:
    def __new__(cls, **choices: Any) -> Options: ...

@disjoint_base
class Parser:
    def __new__(cls, dialects: Dialects, tools: Tools, options: Options, collect: bool) -> Parser: ...
    def push(self, text: str | bytes) -> list[Event]: ...
    def push_special(self, token: str) -> list[Event]: ...
    def finish(self, finish_reason: str | None = None) -> list[Event]: ...
    @property
    def dialect(self) -> str | None: ...
    def parts(self) -> MessageParts: ...

@final
class ArgumentsReader:
    def __new__(cls, dialects: Dialects, tools: Tools, name: str, options: Options) -> ArgumentsReader: ...
    def push(self, text: str | bytes) -> str: ...
    def finish(self) -> tuple[str, Outcome, list[Diagnostic], str]: ...

@disjoint_base
class Exchange:
    def __new__(
        cls,
        request: str | bytes,
        protocols: tuple[str, str],
        dialects: Dialects,
        options: Options,
        **settings: Any,
    ) -> Exchange: ...
    @property
    def is_relay(self) -> bool:
        """Whether the answer is passed on unchanged, because the request declares no tools."""

    @property
    def is_stream(self) -> bool:
        """Whether the client asked for a stream."""

    @property
    def body(self) -> bytes:
        """The request for the model server: JSON in UTF-8."""

    def turn(self, *, id_seed: int | None = None, now: int | None = None) -> Turn:
        """Returns a turn for one answer.

        `id_seed` is the seed for ids that the server does not supply, from 0 to 2**64 - 1; default: random. `now` is the time of
        the answer in seconds since 1970; default: the clock. Raises `ToolglotError` for other numbers.
        """

@final
class Turn:
    """Converts one answer of a model server for the client; `Exchange.turn` returns one."""

    def push(self, piece: str | bytes) -> bytes:
        """Converts the next bytes of the server's stream, cut anywhere, to bytes of the client's."""

    def finish(self, error: str | None = None) -> bytes:
        """Ends the stream and returns the rest of the client's.

        If the stream was interrupted, the client is sent an error with the message `error`.
        """

    def whole(self, answer: str | bytes) -> bytes:
        """Converts the body of an answer that was not streamed to the client's.

        Raises `ExchangeError` if it is an error or invalid.
        """

    @property
    def is_over(self) -> bool:
        """Whether the rest of the server's answer is not needed."""

    def report(self) -> dict[str, Any]:
        """Returns a report on the answer so far.

        `dialect` is that of the first call in text, or None. `calls`, `text_calls`, `repaired` and `dropped` are numbers of
        calls, and `diagnostics` has the number of diagnostics of each code.
        """

@final
class MessageArray:
    """A column of messages, for any library that supports Arrow's C interface."""

    def __len__(self) -> int: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

class ToolglotError(ValueError):
    """An argument is invalid or an operation is not possible; the message explains what to do."""

class DialectError(ToolglotError):
    """A dialect file is invalid."""

    line: int
    column: int
    help: str | None

class RenderError(ToolglotError):
    """The dialect cannot express a message."""

class GrammarError(ToolglotError):
    """A grammar cannot be created."""

class ExchangeError(ToolglotError):
    """A client's request or a model server's answer cannot be converted.

    `status` (an HTTP status) and `body` (JSON in the client's protocol) are an answer for the client.
    """

    status: int
    body: bytes

def parse(text: str | bytes, dialects: Dialects, tools: Tools, options: Options) -> MessageParts: ...
def parse_batch(
    texts: Sequence[str | bytes], dialects: Dialects, tools: Tools, options: Options, threads: int, near_misses: bool
) -> list[MessageParts]: ...
def parse_array(
    texts: Any,
    dialects: Dialects,
    tools: Tools,
    tools_column: Any,
    options: Options,
    how: tuple[int, bool],
) -> MessageArray: ...
def repair(
    arguments: str | bytes, dialects: Dialects, tools: Tools, name: str | None, options: Options
) -> tuple[str | None, list[Diagnostic]]: ...
def near_miss(
    text: str | bytes, dialects: Dialects, tools: Tools, options: Options
) -> tuple[str, str | None, Diagnostic] | None: ...
def explain(
    text: str | bytes, dialects: Dialects, tools: Tools, options: Options
) -> list[tuple[str, str | None, str, int, int]]: ...
def inspect(
    text: str | bytes, dialects: Dialects, tools: Tools, options: Options
) -> tuple[
    MessageParts,
    list[tuple[ByteKind, int | None, int, int]],
    list[tuple[str, str, str, str, str, int, int]],
    list[tuple[str, str | None, str, int, int]],
    list[tuple[int, Any, int | None, str]],
    list[tuple[int, int]],
    list[tuple[str, str, int, int, tuple[str, str] | None]],
]: ...
def detect(
    source: str, subject: str, dialects: Dialects, tools: Tools
) -> list[tuple[str, list[str], int, list[tuple[str, int, tuple[int, int] | None]]]]: ...
def render(
    dialects: Dialects,
    tools: Tools,
    reasoning: str,
    content: str,
    calls: Sequence[tuple[str, str, str | None]],
    check: bool,
) -> str: ...
def grammar(dialects: Dialects, tools: str, options: str) -> tuple[str, str, str | None, list[str], list[str]]: ...
def sketch(name: str, text: str, calls: Sequence[tuple[str, str]], about: str, strong: bool) -> str: ...
def certify(dialects: Dialects) -> tuple[str | None, str | None, list[str], list[str]]: ...
def mint(seed: int, index: int) -> str:
    """Returns an id for the call at an index of a message: the same seed and index give the same id.

    The seed is from 0 to 2**64 - 1, and indices count from 0. Raises `ToolglotError` for other numbers.
    """

def codes() -> list[tuple[str, str, str]]: ...
def main(arguments: Sequence[str]) -> int: ...
