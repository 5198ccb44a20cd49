"""Calls with their positions, including incomplete ones, for rewards and loss masks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from ._message import Outcome
from ._native import Arguments, CallEnd, CallStart
from ._read import Parser
from ._settings import DialectLike, Options, spelled_out
from ._tools import ToolsLike

if TYPE_CHECKING:
    from typing_extensions import Unpack


@dataclass(slots=True)
class CallSpan:
    """A call, complete or not, with its position."""

    name: str
    #: The arguments as JSON; for an incomplete call, as far as received.
    arguments: str
    outcome: Outcome
    #: The model's id, if it wrote one.
    id: str | None
    #: The position in the text, in characters.
    start: int
    end: int

    @property
    def finished(self) -> bool:
        """Whether the call may be run."""
        return self.outcome in ("complete", "repaired")


@spelled_out
def calls(text: str, *, tools: ToolsLike = None, dialect: DialectLike = None, **options: Unpack[Options]) -> list[CallSpan]:
    """Returns every call of a text with its position.

    >>> [(call.name, call.outcome, call.start) for call in calls('Hi <tool_call>{"name": "ls", "arguments": {"a": 1')]
    [('ls', 'truncated', 3)]
    """
    parser = Parser(tools=tools, dialect=dialect, collect=False, **options)
    found: list[CallSpan] = []
    for event in [*parser.push(text), *parser.finish()]:
        match event:
            case CallStart():
                found.append(CallSpan(event.name, "", "truncated", event.id, event.start, event.end))
            case Arguments():
                found[-1].arguments += event.json
            case CallEnd():
                found[-1].outcome = event.outcome
                found[-1].id = found[-1].id or event.id
                found[-1].end = event.end
            case _:
                pass
    if not text.isascii():
        # Positions of events are in UTF-8 bytes.
        sizes = (len(character.encode("utf-8", "surrogatepass")) for character in text)
        places = {place: at for at, place in enumerate(accumulate(sizes, initial=0))}
        for call in found:
            call.start, call.end = places.get(call.start, 0), places.get(call.end, len(text))
    return found


def token_spans(spans: Sequence[CallSpan], tokens: Sequence[str]) -> list[tuple[int, int]]:
    """Returns the ranges of tokens of calls, end excluded; the joined texts of the tokens must be the whole text."""
    ends = list(accumulate(len(token) for token in tokens))
    starts = [0, *ends[:-1]]
    found = []
    for call in spans:
        first = next((at for at, end in enumerate(ends) if end > call.start), len(ends))
        last = next((at for at, start in enumerate(starts) if start >= call.end), len(ends))
        found.append((first, last))
    return found


def texts_of(tokenizer: Any, ids: Sequence[int]) -> list[str] | None:
    """Returns the text of every token; None if a character spans several tokens."""
    texts = [tokenizer.decode([token], skip_special_tokens=False) for token in ids]
    whole = tokenizer.decode(list(ids), skip_special_tokens=False)
    return texts if "".join(texts) == whole else None
