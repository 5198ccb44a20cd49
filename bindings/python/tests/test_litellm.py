"""LiteLLM's own types through the hooks that its proxy calls."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from streams import TOOLS, Stream, begun, finished, runnable, streams

litellm = pytest.importorskip("litellm")

from litellm.types.utils import ModelResponse, ModelResponseStream

import toolglot.litellm

HEAD = {"id": "c1", "created": 1, "model": "m"}


async def given(stream: Stream) -> Any:
    for piece in stream.pieces:
        choice = {"index": 0, "delta": {"content": piece}, "finish_reason": None}
        yield ModelResponseStream(**HEAD, choices=[choice])
    reason = "length" if stream.name.endswith("cut") else "stop"
    yield ModelResponseStream(**HEAD, choices=[{"index": 0, "delta": {}, "finish_reason": reason}])


async def streamed(stream: Stream, request: dict[str, Any]) -> list[Any]:
    hook = toolglot.litellm.Handler(stream.dialect).async_post_call_streaming_iterator_hook
    return [chunk async for chunk in hook(None, given(stream), request)]


@pytest.mark.parametrize("stream", streams(), ids=lambda stream: stream.name)
def test_streams_and_whole_answers_are_as_parse_says(stream: Stream) -> None:
    calls: dict[int, tuple[str, str]] = {}
    cut = "length" if stream.name.endswith("cut") else "stop"
    reason = None
    for chunk in asyncio.run(streamed(stream, {"model": "m", "tools": TOOLS})):
        reason = chunk.choices[0].finish_reason or reason
        for call in chunk.choices[0].delta.tool_calls or []:
            name, arguments = calls.get(call.index, ("", ""))
            calls[call.index] = (name + (call.function.name or ""), arguments + (call.function.arguments or ""))
    # Arguments that were sent cannot be withdrawn, and are not valid JSON.
    wanted = finished(stream, cut)
    assert runnable(list(calls.values())) == wanted and len(calls) <= len(begun(stream))
    assert reason == ("length" if cut == "length" else "tool_calls" if wanted else "stop")
    message = {"role": "assistant", "content": stream.text}
    response = ModelResponse(**HEAD, choices=[{"index": 0, "message": message, "finish_reason": cut}])
    handler = toolglot.litellm.Handler(stream.dialect)
    read = asyncio.run(handler.async_post_call_success_hook({"model": "m", "tools": TOOLS}, None, response))
    found = read.choices[0].message.tool_calls or []
    assert [(call.function.name, call.function.arguments) for call in found] == wanted


def test_without_tools_nothing_changes() -> None:
    stream = streams()[0]
    chunks = asyncio.run(streamed(stream, {"model": "m"}))
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == stream.text


def test_the_guardrail_has_the_same_hooks() -> None:
    guardrail = toolglot.litellm.Guardrail(guardrail_name="toolglot", dialect="hermes")
    assert guardrail.guardrail_name == "toolglot" and guardrail.dialect == "hermes"
