"""SGLang's own classes, with torch as a stub: registration, both detectors, sixty streams."""

from __future__ import annotations

import importlib.util
from typing import Any

import pytest
from streams import TOOLS, Stream, begun, content, finished, runnable, streams
from stubs import stub

if importlib.util.find_spec("sglang") is None:
    pytest.skip("SGLang is not installed", allow_module_level=True)
if importlib.util.find_spec("torch") is None:
    stub("torch", "triton", "torchvision", "torchaudio", "sgl_kernel", "flashinfer", "tilelang", "cuda", "nvidia", "pynvml")

from sglang.srt.entrypoints.openai.protocol import Tool
from sglang.srt.function_call.function_call_parser import FunctionCallParser
from sglang.srt.parser.reasoning_parser import ReasoningParser

import toolglot.sglang


@pytest.fixture(autouse=True, scope="module")
def registered() -> None:
    toolglot.sglang.register()
    toolglot.sglang.register()


def declared() -> list[Any]:
    return [Tool(**tool) for tool in TOOLS]


def served(stream: Stream, name: str) -> tuple[str, list[tuple[str, str]]]:
    parser = FunctionCallParser(declared(), name)
    text, calls = "", {}
    ends = [parser.parse_stream_chunk(piece) for piece in stream.pieces]
    ends.append(parser.parse_stream_end())
    for normal, items in ends:
        text += normal
        for item in items:
            called, arguments = calls.get(item.tool_index, ("", ""))
            calls[item.tool_index] = (called + (item.name or ""), arguments + item.parameters)
    return text, list(calls.values())


@pytest.mark.parametrize("stream", streams(), ids=lambda stream: stream.name)
@pytest.mark.parametrize("pinned", [True, False], ids=["pinned", "auto"])
def test_streams_are_as_parse_says(stream: Stream, pinned: bool) -> None:
    name = f"toolglot_{stream.dialect}" if pinned else "toolglot"
    text, calls = served(stream, name)
    assert (text, calls) == (content(stream), begun(stream))
    assert runnable(calls) == finished(stream)
    text, calls = FunctionCallParser(declared(), name).parse_non_stream(stream.text)
    assert [(call.name, call.parameters) for call in calls] == finished(stream)


def test_reasoning_goes_first() -> None:
    text = '<think>I should ping.</think>Pinging.<tool_call>{"name": "ping", "arguments": {}}</tool_call>'
    reasoning, calls = ReasoningParser("toolglot"), FunctionCallParser(declared(), "toolglot")
    thought, rest = reasoning.parse_non_stream(text)
    assert (thought, rest) == ("I should ping.", text.split("</think>")[1])
    said, names, normal = "", [], ""
    for piece in text:
        more, passed = reasoning.parse_stream_chunk(piece)
        said += more or ""
        if passed:
            plain, items = calls.parse_stream_chunk(passed)
            normal += plain
            names += [item.name for item in items if item.name]
    plain, items = calls.parse_stream_end()
    assert (said, normal + plain, names) == ("I should ping.", "Pinging.", ["ping"])


def test_the_hosts_own_parsers_stay() -> None:
    assert "qwen25" in FunctionCallParser.ToolCallParserEnum or "qwen" in FunctionCallParser.ToolCallParserEnum
    assert "qwen3" in ReasoningParser.DetectorMap
