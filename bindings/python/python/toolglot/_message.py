"""Whole messages: what `parse` returns."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from ._native import Arguments, CallEnd, CallStart, Diagnostic, Markup, Reasoning, Text

FinishReason: TypeAlias = Literal["stop", "tool_calls", "length", "content_filter"]
Outcome: TypeAlias = Literal["complete", "repaired", "truncated", "broken"]

#: An event of a parser; use it as `match event: case toolglot.Text(text): ...`.
Event: TypeAlias = Text | Reasoning | Markup | CallStart | Arguments | CallEnd | Diagnostic


#: A message as the compiled part returns it: content, reasoning, calls, incomplete calls, finish reason, dialect,
#: diagnostics.
MessageParts: TypeAlias = tuple[
    str,
    str,
    list[tuple[str, str, str]],
    list[tuple[str, str, str, Outcome]],
    FinishReason,
    str | None,
    list[Diagnostic],
]


@dataclass(frozen=True, slots=True)
class Call:
    """A finished call."""

    #: The model's id, or one generated from `id_seed` or the text; unique in the message.
    id: str
    #: The declared name of the tool.
    name: str
    #: A JSON object as text; numbers and strings are as the model wrote them.
    arguments: str

    @property
    def args(self) -> dict[str, Any]:
        """Returns the arguments as a dict."""
        value: dict[str, Any] = json.loads(self.arguments)
        return value

    def to_openai(self) -> dict[str, Any]:
        """Returns the call as an entry of a chat completion's `tool_calls`."""
        return {"id": self.id, "type": "function", "function": {"name": self.name, "arguments": self.arguments}}

    def to_dict(self) -> dict[str, Any]:
        """Returns the call's fields as a dict."""
        return {"id": self.id, "name": self.name, "arguments": self.arguments}


@dataclass(frozen=True, slots=True)
class IncompleteCall:
    """An incomplete call; do not run it."""

    name: str
    #: The arguments received, without added closing brackets.
    arguments: str
    #: The call as the model wrote it.
    text: str
    #: `truncated` or `broken`.
    outcome: Outcome

    def to_dict(self) -> dict[str, Any]:
        """Returns the call's fields as a dict."""
        return {"name": self.name, "arguments": self.arguments, "text": self.text, "outcome": self.outcome}


@dataclass(frozen=True, slots=True)
class Message:
    """A whole message: text, reasoning, calls and diagnostics."""

    #: The text without calls and markup.
    content: str
    reasoning: str
    #: The complete calls.
    calls: tuple[Call, ...]
    #: The incomplete calls, with their text.
    incomplete: tuple[IncompleteCall, ...]
    finish_reason: FinishReason
    #: The dialect of the first call.
    dialect: str | None
    #: The diagnostics in order of position; spans are byte offsets into the UTF-8 text.
    diagnostics: tuple[Diagnostic, ...]

    @classmethod
    def _of(cls, parts: MessageParts) -> Message:
        content, reasoning, calls, incomplete, finish_reason, dialect, diagnostics = parts
        return cls(
            content,
            reasoning,
            tuple(Call(*call) for call in calls),
            tuple(IncompleteCall(*call) for call in incomplete),
            finish_reason,
            dialect,
            tuple(diagnostics),
        )

    def to_openai(self) -> dict[str, Any]:
        """Returns the message in the form of a chat completion, as `toolglot parse` prints it."""
        message: dict[str, Any] = {"role": "assistant", "content": self.content or None}
        if self.reasoning:
            message["reasoning_content"] = self.reasoning
        if self.calls:
            message["tool_calls"] = [call.to_openai() for call in self.calls]
        return message

    def to_anthropic(self) -> dict[str, Any]:
        """Returns the message in the form of Anthropic's Messages: thinking, text and tool-use blocks."""
        blocks: list[dict[str, Any]] = []
        if self.reasoning:
            blocks.append({"type": "thinking", "thinking": self.reasoning, "signature": ""})
        if self.content:
            blocks.append({"type": "text", "text": self.content})
        blocks += [{"type": "tool_use", "id": call.id, "name": call.name, "input": call.args} for call in self.calls]
        return {"role": "assistant", "content": blocks, "stop_reason": _STOP_REASONS[self.finish_reason]}

    def to_dict(self) -> dict[str, Any]:
        """Returns the message's fields as dicts and lists."""
        return {
            "content": self.content,
            "reasoning": self.reasoning,
            "calls": [call.to_dict() for call in self.calls],
            "incomplete": [call.to_dict() for call in self.incomplete],
            "finish_reason": self.finish_reason,
            "dialect": self.dialect,
            "diagnostics": [
                {key: value for key, value in found.to_dict().items() if key != "type"} for found in self.diagnostics
            ],
        }


_STOP_REASONS = {"stop": "end_turn", "tool_calls": "tool_use", "length": "max_tokens", "content_filter": "refusal"}
