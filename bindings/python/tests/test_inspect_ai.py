"""Inspect AI's own model around its mock of a provider."""

from __future__ import annotations

import asyncio

import pytest

pytest.importorskip("inspect_ai")

import json

from streams import TOOLS, Stream, finished, streams

import toolglot
from inspect_ai.model import ChatMessageUser, GenerateConfig, ModelOutput, get_model
from inspect_ai.tool import ToolInfo, ToolParams

TEXT = 'Hi. <tool_call>{"name": "wait", "arguments": {"days": "3",}}</tool_call>'


class Words:
    """In the place of an encoding that counts tokens, which would be loaded over the network."""

    def encode(self, text: str, **_: object) -> list[str]:
        return text.split()


@pytest.fixture(autouse=True)
def without_network(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("get_encoding", "encoding_for_model"):
        monkeypatch.setattr(f"tiktoken.{name}", lambda _: Words())


def generated(text: str) -> ModelOutput:
    model = get_model("toolglot/mockllm/model", custom_outputs=[ModelOutput.from_content("mockllm/model", text)])
    parameters = ToolParams(properties={"days": {"type": "integer"}}, required=["days"])
    tools = [ToolInfo(name="wait", description="Waits.", parameters=parameters)]
    said = model.api.generate([ChatMessageUser(content="x")], tools, "auto", GenerateConfig())
    output = asyncio.run(said)
    return output[0] if isinstance(output, tuple) else output


def test_calls_are_read() -> None:
    output = generated(TEXT)
    [call] = output.message.tool_calls or []
    assert (call.function, call.arguments, call.parse_error) == ("wait", {"days": 3}, None)
    assert output.message.text == "Hi. " and output.choices[0].stop_reason == "tool_calls"


@pytest.mark.parametrize("stream", streams(), ids=lambda stream: stream.name)
def test_answers_are_as_parse_says(stream: Stream) -> None:
    model = get_model("toolglot/mockllm/model", custom_outputs=[ModelOutput.from_content("mockllm/model", stream.text)])
    tools = [ToolInfo(**{"description": "x", **tool["function"]}) for tool in TOOLS]
    output = asyncio.run(model.api.generate([ChatMessageUser(content="x")], tools, "auto", GenerateConfig()))
    message = (output[0] if isinstance(output, tuple) else output).message
    calls = [(call.function, call.arguments) for call in message.tool_calls or [] if not call.parse_error]
    auto = toolglot.parse(stream.text, tools=TOOLS)
    assert calls == [(call.name, call.args) for call in auto.calls]
    assert calls == [(name, json.loads(arguments)) for name, arguments in finished(stream)]


def test_text_stays() -> None:
    output = generated("Hello.")
    assert output.message.text == "Hello." and not output.message.tool_calls
