"""Shared code of the integrations."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from ._message import Event, Message
from ._native import Arguments, CallEnd, CallStart, Dialects, Markup, Reasoning, Text
from ._read import Parser, parse
from ._settings import DialectLike, dialects
from ._tools import ToolsLike


@dataclass(slots=True)
class CallDelta:
    """A piece of a call: the first has the id and the name, all have a part of the arguments' JSON."""

    index: int
    id: str | None
    name: str | None
    arguments: str


@dataclass(slots=True)
class Delta:
    """The result of one push."""

    content: str = ""
    reasoning: str = ""
    calls: list[CallDelta] = field(default_factory=list)
    #: The calls that ended incomplete: index, outcome and all of their arguments.
    unfinished: list[tuple[int, str, str]] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.content or self.reasoning or self.calls or self.unfinished)

    def add(self, event: Event, open_arguments: list[str]) -> None:
        """Adds an event; pieces of the same call are joined."""
        match event:
            case Text():
                self.content += event.text
            case Reasoning():
                self.reasoning += event.text
            case CallStart():
                open_arguments.clear()
                self.calls.append(CallDelta(event.index, event.id or new_id(), event.name, ""))
            case Arguments():
                index, json = event.index, event.json
                open_arguments.append(json)
                if self.calls and self.calls[-1].index == index:
                    self.calls[-1].arguments += json
                else:
                    self.calls.append(CallDelta(index, None, None, json))
            case CallEnd() if event.outcome in ("truncated", "broken"):
                self.unfinished.append((event.index, event.outcome, "".join(open_arguments)))
            case _:
                pass


def new_id() -> str:
    """Returns an id for a call without one."""
    return f"call_{uuid.uuid4().hex[:24]}"


def new_seed() -> int:
    """Returns a random seed, so that ids differ between answers."""
    return uuid.uuid4().int & (2**63 - 1)


class Answer:
    """A model's answer, parsed while it arrives."""

    __slots__ = ("_arguments", "_parser")

    def __init__(self, tools: ToolsLike, dialect: DialectLike, **options: Any) -> None:
        self._parser = Parser(tools=tools, dialect=dialect, collect=False, **options)
        #: The arguments of the current call.
        self._arguments: list[str] = []

    def push(self, text: str) -> Delta:
        """Parses the next text."""
        return self._delta(self._parser.push(text))

    def push_parts(self, parts: Iterable[tuple[bool, str]]) -> Delta:
        """Parses special tokens and other pieces."""
        parser = self._parser
        pushed = (parser.push_special(text) if special else parser.push(text) for special, text in parts)
        return self._delta(event for events in pushed for event in events)

    def finish(self, reason: str | None = None) -> Delta:
        """Ends the answer; returns what was held back."""
        return self._delta(self._parser.finish(reason))

    def _delta(self, events: Iterable[Event]) -> Delta:
        delta = Delta()
        for event in events:
            delta.add(event, self._arguments)
        return delta


def whole(text: str, tools: ToolsLike, dialect: DialectLike, **options: Any) -> Message:
    """Parses a whole answer, with ids that are unique across answers."""
    return parse(text, tools=tools, dialect=dialect, id_seed=new_seed(), **options)


def content_of(message: Message) -> str:
    """Returns the text of a message followed by that of its broken calls, which cannot be run."""
    broken = [call.text for call in message.incomplete if call.outcome == "broken"]
    return message.content + "".join(broken)


class Thought:
    """The reasoning before an answer, for hosts that parse it before the calls.

    The text after it is passed on unchanged.
    """

    __slots__ = ("_parser", "_raw", "_rest", "_thinking", "over")

    def __init__(self, dialect: DialectLike, reasoning_open: bool = False) -> None:
        self._parser = Parser(dialect=dialect, collect=False, reasoning_open=reasoning_open)
        #: The bytes not yet known to be reasoning, and their position.
        self._raw, self._rest = bytearray(), 0
        self._thinking = reasoning_open
        self.over = False

    def push(self, text: str) -> tuple[str, str]:
        """Parses the next text; returns reasoning and the text after it."""
        if self.over:
            return "", text
        self._raw += text.encode("utf-8", "surrogatepass")
        return self._said(self._parser.push(text))

    def finish(self) -> tuple[str, str]:
        """Ends the answer; returns what was held back."""
        if self.over:
            return "", ""
        reasoning, rest = self._said(self._parser.finish())
        if not self.over:
            rest, self.over = self._take(len(self._raw)), True
        return reasoning, rest

    def _said(self, events: Iterable[Event]) -> tuple[str, str]:
        reasoning, blank = "", None
        for event in events:
            match event:
                case Reasoning():
                    reasoning, blank, self._thinking = reasoning + event.text, None, True
                    self._forget(event.end)
                case Markup() if self._thinking:
                    self._forget(event.end)
                    return reasoning, self._end()
                case Text() if not event.text.strip():
                    blank = event
                case Text() | CallStart():
                    self._forget(blank.start if blank else event.start)
                    return reasoning, self._end()
                case _:
                    pass
        return reasoning, ""

    def _end(self) -> str:
        self.over = True
        return self._take(len(self._raw))

    def _forget(self, place: int) -> None:
        self._take(max(place - self._rest, 0))

    def _take(self, size: int) -> str:
        taken = self._raw[:size].decode("utf-8", "replace")
        del self._raw[:size]
        self._rest += size
        return taken


#: Length of the end of a prompt that may contain the opening marker of reasoning; the longest has 30 characters.
_TAIL = 64


def opens_reasoning(prompt: str, dialect: DialectLike) -> bool:
    """Returns whether a prompt ends with the opening marker of reasoning, so that the answer begins inside."""
    return _opens(prompt[-_TAIL:], dialects(dialect))


@lru_cache(maxsize=1024)
def _opens(tail: str, known: Dialects) -> bool:
    bare = tail.rstrip()
    for at in range(len(bare)):
        message = parse(tail[at:] + "x", dialect=known)
        if message.reasoning.strip() == "x" and not message.content:
            return True
    return False


def closes_reasoning(text: str, dialect: DialectLike) -> bool:
    """Returns whether a text ends reasoning that was open before it."""
    thought = Thought(dialect, reasoning_open=True)
    thought.push(text)
    return thought.over


def dialect_of(name: str) -> DialectLike:
    """Returns the dialect for a parser's name: `toolglot`, `toolglot_hermes`, or the path of a file."""
    if name == "toolglot":
        return None
    return name.removeprefix("toolglot_")


def parser_names() -> list[str]:
    """Returns the names of the parsers."""
    return ["toolglot", *(f"toolglot_{name}" for name in dialects(None).names)]
