"""What vLLM and SGLang do with a parser, recorded from them: the same calls in the same order, without the hosts."""

from __future__ import annotations

import importlib
import sys
import types
from dataclasses import dataclass, field
from typing import Any

import pytest
from streams import TOOLS, Stream, begun, content, finished, streams


def module(monkeypatch: pytest.MonkeyPatch, name: str, **members: Any) -> None:
    made = types.ModuleType(name)
    made.__path__ = []
    vars(made).update(members)
    monkeypatch.setitem(sys.modules, name, made)


@dataclass
class Function:
    name: str | None = None
    arguments: str | None = None


@dataclass
class Call:
    id: str | None = None
    type: str | None = None
    index: int = 0
    function: Any = None


@dataclass
class Said:
    """vLLM's DeltaMessage and ExtractedToolCallInformation, as far as parsers fill them."""

    content: str | None = None
    reasoning: str | None = None
    tool_calls: list[Any] = field(default_factory=list)
    tools_called: bool = False

    def __post_init__(self) -> None:
        self.tool_calls = [call if isinstance(call, Call) else validated(call) for call in self.tool_calls]


def validated(call: dict[str, Any]) -> Call:
    """Returns a call of nested values, as pydantic does."""
    return Call(**{**call, "function": Function(**call["function"])})


@dataclass
class FunctionCall:
    name: str
    arguments: str
    id: str | None = None


@dataclass
class Request:
    tools: Any
    tool_choice: Any = "auto"
    skip_special_tokens: bool = True
    include_reasoning: bool = True


class Registry:
    """A manager of vLLM: names of classes that are imported when one is chosen."""

    lazy: dict[str, tuple[str, str]]

    def __init_subclass__(cls) -> None:
        cls.lazy = {}

    @classmethod
    def register_lazy_module(cls, name: str, module_path: str, class_name: str) -> None:
        cls.lazy[name] = (module_path, class_name)

    @classmethod
    def chosen(cls, name: str) -> Any:
        path, class_name = cls.lazy[name]
        return getattr(importlib.import_module(path), class_name)


@pytest.fixture
def vllm(monkeypatch: pytest.MonkeyPatch) -> Any:
    class ToolParser:
        def __init__(self, tokenizer: Any, tools: Any = None) -> None:
            self.model_tokenizer, self.tools = tokenizer, tools or []

        def adjust_request(self, request: Any) -> Any:
            return request

    class ReasoningParser:
        def __init__(self, tokenizer: Any, *args: Any, **kwargs: Any) -> None:
            self.model_tokenizer = tokenizer

    class Parser:
        reasoning_parser_cls: Any = None
        tool_parser_cls: Any = None

        def __init__(self, tokenizer: Any, tools: Any = None, *args: Any, **kwargs: Any) -> None:
            kind = self.reasoning_parser_cls
            self._reasoning_parser = kind(tokenizer) if kind else None

    class Tools(Registry):
        pass

    class Reasoning(Registry):
        pass

    class ParserManager:
        @classmethod
        def _compose_parser(cls, tool_parser_name: Any, reasoning_parser_name: Any, enable_auto_tools: Any) -> Any:
            return None

    monkeypatch.delitem(sys.modules, "toolglot.vllm.parsers", raising=False)
    module(monkeypatch, "vllm")
    module(monkeypatch, "vllm.reasoning", ReasoningParser=ReasoningParser, ReasoningParserManager=Reasoning)
    module(monkeypatch, "vllm.parser", Parser=Parser, ParserManager=ParserManager)
    module(monkeypatch, "vllm.tool_parsers")
    abstract = {"ToolParser": ToolParser, "ToolParserManager": Tools, "DeltaMessage": Said}
    module(monkeypatch, "vllm.tool_parsers.abstract_tool_parser", ExtractedToolCallInformation=Said, **abstract)
    calls = {"DeltaFunctionCall": Function, "DeltaToolCall": Call, "FunctionCall": FunctionCall, "ToolCall": Call}
    module(monkeypatch, "vllm.tool_parsers.utils", **calls)
    import toolglot.vllm

    toolglot.vllm.register()
    toolglot.vllm.register()
    yield types.SimpleNamespace(tools=Tools, reasoning=Reasoning, manager=ParserManager)
    sys.modules.pop("toolglot.vllm.parsers", None)


def joined(deltas: list[Any]) -> tuple[str, list[tuple[str, str]]]:
    text, calls = "", {}
    for delta in filter(None, deltas):
        text += delta.content or ""
        for call in delta.tool_calls:
            name, arguments = calls.get(call.index, ("", ""))
            calls[call.index] = (name + (call.function.name or ""), arguments + (call.function.arguments or ""))
    return text, list(calls.values())


@pytest.mark.parametrize("stream", streams(), ids=lambda stream: stream.name)
def test_vllm(vllm: Any, stream: Stream) -> None:
    name = f"toolglot_{stream.dialect}"
    request, kind = Request(TOOLS), vllm.tools.chosen(name)
    kind(None)  # At startup, without tools.
    parser = kind(None, TOOLS)
    assert parser.adjust_request(request).skip_special_tokens is False
    deltas = [parser.extract_tool_calls_streaming("", piece, piece, [], [], [], request) for piece in stream.pieces]
    assert joined([*deltas, parser.finish_streaming()]) == (content(stream), begun(stream))
    whole = kind(None, TOOLS).extract_tool_calls(stream.text, request)
    assert [(call.function.name, call.function.arguments) for call in whole.tool_calls] == finished(stream)
    unified = vllm.manager._compose_parser(name, None, True)(None, TOOLS)
    last = len(stream.pieces) - 1
    deltas = [unified.parse_delta(p, [], request, [1], finished=at == last) for at, p in enumerate(stream.pieces)]
    assert joined(deltas) == (content(stream), begun(stream))


def test_vllms_own_parsers_are_left_alone(vllm: Any) -> None:
    assert vllm.manager._compose_parser("hermes", None, True) is None
    assert vllm.manager._compose_parser("toolglot", "deepseek_r1", True) is None
    assert vllm.manager._compose_parser("toolglot", None, False) is None


def test_without_the_host_registration_is_quiet(caplog: pytest.LogCaptureFixture) -> None:
    import toolglot.sglang
    import toolglot.vllm

    if "vllm" not in sys.modules:
        toolglot.vllm.register()
    if "sglang" not in sys.modules:
        toolglot.sglang.register()
