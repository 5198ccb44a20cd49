"""Sixty streams of three protocols: right, broken, cut, and split in tokens; what hosts are tested with."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass

import toolglot
from toolglot._message import FinishReason

DIALECTS = ("hermes", "qwen3_coder", "kimi_k2")

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "write_file",
            "description": "Writes a file.",
            "parameters": {
                "type": "object",
                "properties": {"path": {"type": "string"}, "content": {"type": "string"}, "mode": {"type": "integer"}},
                "required": ["path"],
            },
        },
    },
    {"type": "function", "function": {"name": "ping", "parameters": {"type": "object", "properties": {}}}},
]

_CALLS = [
    [("write_file", '{"path": "a.txt", "content": "if a < b:\\n    print(\\"x\\")\\n", "mode": 420}')],
    [("ping", "{}"), ("write_file", '{"path": "b", "content": "é 漢字 🙂"}')],
    [("write_file", '{"path": "c", "content": ""}')],
    [("ping", "{}")],
    [("write_file", '{"path": "d e", "content": "{\\"k\\": [1, 2]}", "mode": 1}')] * 3,
]


@dataclass(frozen=True)
class Stream:
    """A text in the pieces that a server would send."""

    name: str
    dialect: str
    text: str
    pieces: tuple[str, ...]
    #: The calls that the model meant: names and arguments.
    calls: tuple[tuple[str, str], ...] = ()


def streams() -> list[Stream]:
    """Returns the streams, always the same."""
    dice = random.Random(18)
    found = []
    for dialect in DIALECTS:
        for number, calls in enumerate(_CALLS):
            message = {"content": "Let me see.\n", "tool_calls": [{"name": n, "arguments": a} for n, a in calls]}
            text = toolglot.Renderer(dialect, tools=TOOLS).render(message)
            for kind in ("right", "broken", "cut", "split"):
                changed = {"right": text, "broken": _broken(text), "cut": text[: -len(text) // 3], "split": text}[kind]
                longest = 1 if kind == "split" else 6
                name, pieces = f"{dialect}-{number}-{kind}", _pieces(changed, longest, dice)
                found.append(Stream(name, dialect, changed, pieces, tuple(calls)))
    return found


def _broken(text: str) -> str:
    """Mistakes that models make: a trailing comma, a wrong closer, Python's words."""
    changed = text.replace("}}", ",}}", 1).replace("</parameter>", "</param>", 1).replace("420", "'420'", 1)
    return changed if changed != text else text.rstrip("}>|\n") + "\n"


def _pieces(text: str, longest: int, dice: random.Random) -> tuple[str, ...]:
    pieces, at = [], 0
    while at < len(text):
        size = dice.randint(1, longest)
        pieces.append(text[at : at + size])
        at += size
    return tuple(pieces)


def finished(stream: Stream, reason: FinishReason | None = None) -> list[tuple[str, str]]:
    """The calls that may be run, by `toolglot.parse` of the same text."""
    message = toolglot.parse(stream.text, tools=TOOLS, dialect=stream.dialect, finish_reason=reason)
    return [(call.name, call.arguments) for call in message.calls]


def begun(stream: Stream) -> list[tuple[str, str]]:
    """The calls that went out as a stream: the finished ones, and those that were cut off, which nobody may run."""
    calls: list[tuple[str, str]] = []
    for event in toolglot.stream([stream.text], tools=TOOLS, dialect=stream.dialect):
        if isinstance(event, toolglot.CallStart):
            calls.append((event.name, ""))
        elif isinstance(event, toolglot.Arguments):
            calls[-1] = (calls[-1][0], calls[-1][1] + event.json)
    return calls


def runnable(calls: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The calls of a stream that a client can run: those whose arguments are JSON."""
    found = []
    for name, arguments in calls:
        try:
            json.loads(arguments)
        except ValueError:
            continue
        found.append((name, arguments))
    return found


def content(stream: Stream) -> str:
    """The text of the message."""
    return toolglot.parse(stream.text, tools=TOOLS, dialect=stream.dialect).content
