"""The parsers that vLLM creates for each answer; imported when one is selected."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from vllm.reasoning import ReasoningParser
from vllm.tool_parsers.abstract_tool_parser import DeltaMessage, ExtractedToolCallInformation, ToolParser
from vllm.tool_parsers.utils import FunctionCall, ToolCall

from .._host import (
    Answer,
    CallDelta,
    Delta,
    Thought,
    closes_reasoning,
    content_of,
    dialect_of,
    opens_reasoning,
    whole,
)
from .._settings import DialectLike, dialects
from .tokens import Specials

try:
    from vllm.parser import Parser as UnifiedBase
except ImportError:  # Before 0.30 there is only the pair.
    UnifiedBase = object

#: Tokens at the end of a text in which reasoning may begin or end.
_TAIL = 24


def _message(delta: Delta) -> DeltaMessage | None:
    """Returns what vLLM streams; as with its own parsers, members without a value are not set and not sent."""
    fields: dict[str, Any] = {}
    if delta.content:
        fields["content"] = delta.content
    if delta.reasoning:
        fields["reasoning"] = delta.reasoning
    if delta.calls:
        fields["tool_calls"] = [_call(call) for call in delta.calls]
    return DeltaMessage(**fields) if fields else None


def _call(call: CallDelta) -> dict[str, Any]:
    """Returns a piece of a call for `DeltaMessage`, which validates nested values at once faster than objects one by one."""
    if call.name is None:
        return {"index": call.index, "function": {"arguments": call.arguments}}
    function = {"name": call.name, "arguments": call.arguments}
    return {"index": call.index, "id": call.id, "type": "function", "function": function}


def _plain(request: Any) -> Any:
    """Requests special tokens in the text, since they may be markers of calls."""
    if getattr(request, "tools", None) and getattr(request, "tool_choice", None) != "none":
        request.skip_special_tokens = False
    return request


def _tools(tools: Any) -> Any:
    return [tool.model_dump(exclude_none=True) if hasattr(tool, "model_dump") else tool for tool in tools or ()]


class ToolglotToolParser(ToolParser):
    """Finds calls in the text after the reasoning, for versions and settings without the unified parser."""

    dialect: DialectLike = None
    supports_required_and_named = False
    engine_based_streaming = True

    def __init__(self, tokenizer: Any, tools: Any = None, **_: Any) -> None:
        super().__init__(tokenizer, tools)
        #: Set by vLLM if no reasoning parser is selected; reasoning still gets its own field.
        self.skip_reasoning_parsing = False
        self._declared = _tools(tools)
        self._answer: Answer | None = None

    def adjust_request(self, request: Any) -> Any:
        return _plain(super().adjust_request(request))

    def extract_tool_calls(self, model_output: str, request: Any) -> ExtractedToolCallInformation:
        message = whole(model_output, self._declared or _tools(getattr(request, "tools", None)), self.dialect)
        calls = [
            ToolCall(id=call.id, function=FunctionCall(name=call.name, arguments=call.arguments))
            for call in message.calls
        ]
        content = content_of(message) or None
        return ExtractedToolCallInformation(tools_called=bool(calls), tool_calls=calls, content=content)

    def extract_tool_calls_streaming(
        self,
        previous_text: str,
        current_text: str,
        delta_text: str,
        previous_token_ids: Sequence[int],
        current_token_ids: Sequence[int],
        delta_token_ids: Sequence[int],
        request: Any,
    ) -> DeltaMessage | None:
        if self._answer is None:
            self._answer = Answer(self._declared or _tools(getattr(request, "tools", None)), self.dialect)
        return _message(self._answer.push(delta_text))

    def finish_streaming(self) -> DeltaMessage | None:
        """Returns what was held back."""
        answer, self._answer = self._answer, None
        return _message(answer.finish()) if answer else None


class ToolglotReasoningParser(ReasoningParser):
    """Separates reasoning from the rest of the answer, in any dialect."""

    dialect: DialectLike = None
    engine_based_streaming = True

    def __init__(self, tokenizer: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(tokenizer, *args, **kwargs)
        self._thought: Thought | None = None
        self._open = False

    def adjust_request(self, request: Any) -> Any:
        request.skip_special_tokens = False
        return request

    def set_prompt_token_ids(self, prompt_token_ids: Sequence[int]) -> None:
        self._open = opens_reasoning(self._text(prompt_token_ids), self.dialect)

    def adjust_initial_state_from_prompt(self, prompt_token_ids: Sequence[int]) -> None:
        self.set_prompt_token_ids(prompt_token_ids)

    def is_reasoning_end(self, input_ids: Sequence[int]) -> bool:
        text = self._text(input_ids)
        return not opens_reasoning(text, self.dialect) and closes_reasoning(text, self.dialect)

    def is_reasoning_end_streaming(self, input_ids: Sequence[int], delta_ids: Iterable[int]) -> bool:
        return closes_reasoning(self._text(input_ids), self.dialect)

    def has_engine_confirmed_reasoning_end(self) -> bool:
        return self._thought is not None and self._thought.over

    def extract_content_ids(self, input_ids: list[int]) -> list[int]:
        ids = list(input_ids)
        for at in range(len(ids)):
            if closes_reasoning(self._text(ids[: at + 1]), self.dialect):
                return ids[at + 1 :]
        return []

    def extract_reasoning(self, model_output: str, request: Any) -> tuple[str | None, str | None]:
        thought = Thought(self.dialect, self._open)
        parts = [thought.push(model_output), thought.finish()]
        reasoning, rest = ("".join(part) for part in zip(*parts, strict=True))
        return reasoning or None, rest or None

    def extract_reasoning_streaming(
        self,
        previous_text: str,
        current_text: str,
        delta_text: str,
        previous_token_ids: Sequence[int],
        current_token_ids: Sequence[int],
        delta_token_ids: Sequence[int],
    ) -> DeltaMessage | None:
        if self._thought is None:
            self._thought = Thought(self.dialect, self._open)
        return _thought(*self._thought.push(delta_text))

    def finish_streaming(self) -> DeltaMessage | None:
        """Returns what was held back."""
        return _thought(*self._thought.finish()) if self._thought else None

    def _text(self, ids: Sequence[int]) -> str:
        """Returns the end of a text; empty if the tokenizer cannot decode."""
        decode = getattr(self.model_tokenizer, "decode", None)
        return str(decode(list(ids[-_TAIL:]))) if decode and ids else ""


def _thought(reasoning: str, rest: str) -> DeltaMessage | None:
    return _message(Delta(content=rest, reasoning=reasoning))


class ToolglotParser(UnifiedBase):  # type: ignore[misc]
    """Parses reasoning and calls with one parser, so that it also finds a call in reasoning that never ends."""

    dialect: DialectLike = None
    reads_calls = True
    reads_reasoning = True
    always_adjust_request = True

    def __init__(self, tokenizer: Any, tools: Any = None, *args: Any, **kwargs: Any) -> None:
        super().__init__(tokenizer, tools, *args, **kwargs)
        self._declared = _tools(tools)
        self._specials = Specials.of(tokenizer, dialects(self.dialect))
        self._answer: Answer | None = None
        self._open = False

    def adjust_request(self, request: Any) -> Any:
        if self.reads_reasoning:
            request.skip_special_tokens = False
        return _plain(request)

    def is_reasoning_end(self, input_ids: Sequence[int]) -> bool:
        return bool(self._reasoning_parser and self._reasoning_parser.is_reasoning_end(input_ids))

    def set_prompt_token_ids(self, prompt_token_ids: Sequence[int]) -> None:
        if self._reasoning_parser is not None:
            self._reasoning_parser.set_prompt_token_ids(prompt_token_ids)
            self._open = self._reasoning_parser._open

    def parse(
        self,
        model_output: str,
        request: Any,
        enable_auto_tools: bool = False,
        model_output_token_ids: Sequence[int] = (),
    ) -> tuple[str | None, str | None, list[FunctionCall] | None]:
        message = whole(model_output, self._tools_of(request), self.dialect, reasoning_open=self._open)
        calls = [FunctionCall(id=call.id, name=call.name, arguments=call.arguments) for call in message.calls]
        if not self.reads_calls or request.tool_choice == "none":
            calls = []
        return message.reasoning or None, content_of(message) or None, calls or None

    def parse_delta(
        self,
        delta_text: str,
        delta_token_ids: list[int],
        request: Any,
        prompt_token_ids: list[int] | None = None,
        *,
        finished: bool,
    ) -> DeltaMessage | None:
        if self._answer is None:
            if prompt_token_ids:
                self.set_prompt_token_ids(prompt_token_ids)
            marked = self._specials is not None and not getattr(request, "skip_special_tokens", True)
            options = {"reasoning_open": self._open, "marked_tokens": marked}
            self._answer = Answer(self._tools_of(request), self.dialect, **options)
        if self._specials is None or getattr(request, "skip_special_tokens", True):
            delta = self._answer.push(delta_text)
        else:
            delta = self._answer.push_parts(self._specials.part(delta_text, delta_token_ids, finished))
        if finished:
            _join(delta, self._answer.finish())
            self._answer = None
        if not request.include_reasoning:
            delta.reasoning = ""
        if request.tool_choice == "none" or not self.reads_calls:
            delta.calls = []
        return _message(delta)

    def count_reasoning_tokens(self, token_ids: Sequence[int]) -> int:
        return 0

    def _tools_of(self, request: Any) -> Any:
        return self._declared or _tools(getattr(request, "tools", None))


def _join(delta: Delta, more: Delta) -> None:
    delta.content += more.content
    delta.reasoning += more.reasoning
    for call in more.calls:
        if delta.calls and delta.calls[-1].index == call.index and call.name is None:
            delta.calls[-1].arguments += call.arguments
        else:
            delta.calls.append(call)


@lru_cache(maxsize=256)
def tool_parser(name: str) -> type[ToolParser]:
    """Returns the class for a name such as `toolglot_hermes`."""
    return type(f"Toolglot_{name}", (ToolglotToolParser,), {"dialect": dialect_of(name)})


@lru_cache(maxsize=256)
def reasoning_parser(name: str) -> type[ReasoningParser]:
    """Returns the class for a name such as `toolglot_hermes`."""
    return type(f"ToolglotReasoning_{name}", (ToolglotReasoningParser,), {"dialect": dialect_of(name)})


def unified(tool: str | None, reasoning: str | None, strict_level: Any) -> type:
    """Returns the class that parses both."""
    members = {
        "dialect": dialect_of(tool or reasoning or "toolglot"),
        "tool_parser_cls": tool_parser(tool) if tool else None,
        "reasoning_parser_cls": reasoning_parser(reasoning) if reasoning else None,
        "tool_strict_level": strict_level,
        "reads_calls": tool is not None,
        "reads_reasoning": reasoning is not None,
    }
    return type("ToolglotParser", (ToolglotParser,), members)
