"""Inspections: how every byte of a text was read, and when."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from . import _native, _settings, _tools
from ._message import Message
from ._settings import DialectLike
from ._tools import ToolsLike
from ._write import Step

if TYPE_CHECKING:
    from typing_extensions import Unpack

#: How a byte was read: text for the user, reasoning, the dialect's markers, a call's name or id, keys and values of its
#: arguments, what separates them, bytes that a repair changed, bytes of a call that are not part of it.
ByteKind: TypeAlias = Literal[
    "text", "reasoning", "marker", "name", "id", "key", "value", "punctuation", "repaired", "skipped"
]


@dataclass(frozen=True, slots=True)
class Stretch:
    """Consecutive bytes of the same kind."""

    kind: ByteKind
    #: The number of the call they belong to, from 0.
    call: int | None
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Mending:
    """A repair: the original bytes, and their replacement in the message."""

    #: The code of the diagnostic.
    code: str
    #: `repair`, `value`, `policy` or `limit`.
    class_: str
    message: str
    #: The bytes as the model wrote them; the first of them, if there are many.
    before: str
    #: Their replacement; its beginning, if it is long.
    after: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Arrival:
    """An event, with the number of bytes of the text that had arrived when it was emitted."""

    at: int
    event: Literal["text", "reasoning", "call_start", "arguments", "call_end"]
    #: The number of the call, from 0.
    call: int | None
    #: The piece of text, reasoning or arguments; the name of a call that begins, the outcome of one that ends.
    text: str


@dataclass(frozen=True, slots=True)
class Remedy:
    """A tested change with which one more call is found. If two changes are needed, the first is declaring a tool."""

    #: `tools`: declare a tool of this name; `dialect`: add this dialect; `file`: add a dialect file with this text; `reasoning`:
    #: set `calls_in_reasoning`; otherwise the name of the option to set.
    kind: str
    value: str


@dataclass(frozen=True, slots=True)
class WhyNot:
    """Why there is no call, or why a call is incomplete."""

    #: A reason as in `NearMiss`, or `nothing`.
    reason: str
    message: str
    start: int
    end: int
    fix: Remedy | None


@dataclass(frozen=True, slots=True)
class Inspection:
    """How a text was parsed. Positions are byte offsets into the UTF-8 text."""

    message: Message
    #: How the bytes were read, in order; the spans cover the whole text.
    spans: tuple[Stretch, ...]
    #: The repairs, in order of position.
    repairs: tuple[Mending, ...]
    #: The steps of the parser, at most 20,000.
    steps: tuple[Step, ...]
    #: The emitted events, in order.
    arrivals: tuple[Arrival, ...]
    #: The number of bytes decided after each number of bytes received: `(received, decided)` for each change, from `(0, 0)`.
    held: tuple[tuple[int, int], ...]
    #: Why there is no call, or why one is incomplete.
    why: tuple[WhyNot, ...]


@_settings.spelled_out
def inspect(
    text: str | bytes,
    *,
    tools: ToolsLike = None,
    dialect: DialectLike = None,
    **options: Unpack[_settings.Options],
) -> Inspection:
    """Parses a whole text and returns how every byte was read, and when each event was emitted. It is for debugging: it takes
    several times as long as `parse`. Texts of up to 32 KiB are parsed character by character, longer ones in 32768 pieces.

        >>> found = inspect('[TOOL_CALLS]ls[ARGS]{"all": True}')
        >>> [(span.kind, span.start, span.end) for span in found.spans][:3]
        [('marker', 0, 12), ('name', 12, 14), ('marker', 14, 20)]
        >>> found.repairs[0].before, found.repairs[0].after
        ('True', 'true')
    """
    known, declared = _settings.dialects(dialect), _tools.compiled(tools)
    message, spans, repairs, steps, arrivals, held, why = _native.inspect(
        text, known, declared, _settings.options(options)
    )
    return Inspection(
        Message._of(message),
        tuple(Stretch(*span) for span in spans),
        tuple(Mending(*repair) for repair in repairs),
        tuple(Step(*step) for step in steps),
        tuple(Arrival(*arrival) for arrival in arrivals),
        tuple(held),
        tuple(_why_not(*one) for one in why),
    )


def _why_not(reason: str, message: str, start: int, end: int, fix: Any) -> WhyNot:
    return WhyNot(reason, message, start, end, None if fix is None else Remedy(*fix))
