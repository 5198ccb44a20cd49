"""Rendering, detection and explanations."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import _native, _settings, _tools
from ._message import Message
from ._native import Diagnostic
from ._settings import DialectLike
from ._tools import ToolsLike

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Renderer:
    """Writes messages in a dialect, and parses them again to check the result.

    >>> Renderer("hermes").render({"tool_calls": [{"function": {"name": "ls", "arguments": "{}"}}]})
    '<tool_call>\\n{"name": "ls", "arguments": {}}\\n</tool_call>'
    """

    __slots__ = ("_check", "_dialects", "_tools")

    def __init__(self, dialect: DialectLike, *, tools: ToolsLike = None, check: bool = True) -> None:
        """With `check=False`, the text is not parsed again to check the result."""
        self._dialects = _settings.dialects(dialect)
        self._tools = _tools.compiled(tools)
        self._check = check

    def render(self, message: Message | Mapping[str, Any]) -> str:
        """Returns the text of a `Message`, or of an assistant message of a chat completion.

        Raises `RenderError` if the dialect cannot express the message.
        """
        if isinstance(message, Message):
            content, reasoning = message.content, message.reasoning
            calls = [(call.name, call.arguments, call.id) for call in message.calls]
        else:
            content, reasoning = message.get("content") or "", _reasoning(message)
            calls = [_call(call) for call in message.get("tool_calls") or []]
        return _native.render(self._dialects, self._tools, reasoning, content, calls, self._check)


def _reasoning(message: Mapping[str, Any]) -> str:
    return message.get("reasoning_content") or message.get("reasoning") or ""


def _call(call: Mapping[str, Any]) -> tuple[str, str, str | None]:
    function = call.get("function", call)
    arguments = function.get("arguments") or ""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return function["name"], text, call.get("id")


@dataclass(frozen=True, slots=True)
class Evidence:
    """A reason for a verdict; `span` is a range of bytes of the subject."""

    what: str
    weight: int
    span: tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class Verdict:
    """A candidate dialect, with the evidence for it."""

    dialect: str
    #: Other dialects with the same evidence.
    alike: tuple[str, ...]
    #: Only comparable between verdicts on the same subject.
    score: int
    evidence: tuple[Evidence, ...]


def detect(
    text: str | None = None,
    *,
    template: str | None = None,
    model: str | None = None,
    tools: ToolsLike = None,
    dialect: DialectLike = None,
) -> list[Verdict]:
    """Ranks dialects for a model's output, for its chat template, or for its name; pass exactly one of them.

    >>> detect(model="Qwen/Qwen3-Coder-30B-A3B-Instruct")[0].dialect
    'qwen3_coder'
    """
    given = [("output", text), ("template", template), ("model", model)]
    asked = [(source, subject) for source, subject in given if subject is not None]
    if len(asked) != 1:
        raise TypeError("pass exactly one of a text, `template` and `model`")
    [(source, subject)] = asked
    found = _native.detect(source, subject, _settings.dialects(dialect), _tools.compiled(tools))
    return [
        Verdict(name, tuple(alike), score, tuple(Evidence(*reason) for reason in evidence))
        for name, alike, score, evidence in found
    ]


@dataclass(frozen=True, slots=True)
class Step:
    """A step of the parser: what it did with which bytes, and why."""

    #: `opened`, `died` or `committed`.
    action: str
    dialect: str | None
    detail: str
    start: int
    end: int

    def __str__(self) -> str:
        dialect = f"{self.dialect}: " if self.dialect else ""
        return f"{self.start:>6}..{self.end:<6} {self.action:10} {dialect}{self.detail}"


@_settings.spelled_out
def explain(
    text: str | bytes,
    *,
    tools: ToolsLike = None,
    dialect: DialectLike = None,
    **options: Unpack[_settings.Options],
) -> list[Step]:
    """Returns the steps of the parser for a text; `toolglot explain` also prints the events.

    >>> [step.action for step in explain("[TOOL_CALLS]ls[ARGS]{}", dialect="mistral_v11")]
    ['opened', 'died', 'committed']
    """
    known, declared = _settings.dialects(dialect), _tools.compiled(tools)
    return [Step(*step) for step in _native.explain(text, known, declared, _settings.options(options))]


@dataclass(frozen=True, slots=True)
class NearMiss:
    """Why a text that looks like a call was not read as one."""

    #: `cut_off`, `broken`, `in_reasoning`, `other_dialect`, `in_code`, `no_tools`, `unknown_name`, `weak_marker` or `unknown_marker`.
    reason: str
    #: The tool that the text seems to call, if it names one.
    tool: str | None
    #: The reason as a message, with its position.
    diagnostic: Diagnostic


@_settings.spelled_out
def near_miss(
    text: str | bytes,
    *,
    tools: ToolsLike = None,
    dialect: DialectLike = None,
    **options: Unpack[_settings.Options],
) -> NearMiss | None:
    """Returns why no call was found in a text that looks like one; `None` for a message with calls, and for prose.

    >>> missed = near_miss('[get_weather(city="Paris")]')
    >>> missed.reason, missed.diagnostic.message.partition(";")[0]
    ('no_tools', 'looks like a call to `get_weather`, but no tools are declared')
    """
    known, declared = _settings.dialects(dialect), _tools.compiled(tools)
    missed = _native.near_miss(text, known, declared, _settings.options(options))
    return None if missed is None else NearMiss(*missed)
