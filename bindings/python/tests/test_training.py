"""Hosts of training: spans, transformers' and TRL's method, verl's and renderers' parsers, BFCL's decoders."""

from __future__ import annotations

import asyncio
import importlib.util
from typing import Any

import pytest
from streams import TOOLS, Stream, finished, streams

from stubs import stub

import toolglot
from toolglot import bfcl, spans, transformers, trl


if importlib.util.find_spec("verl") and importlib.util.find_spec("torch") is None:
    stub("torch", "tensordict", "ray", "torchdata", "torchvision", "accelerate", "hydra", "peft", "codetiming")


class Tokenizer:
    """A token is a character; what transformers' tokenizers have besides is not asked for."""

    eos_token = "<|im_end|>"

    def decode(self, ids: Any, skip_special_tokens: bool = False) -> Any:
        if ids and isinstance(ids[0], list):
            return ["".join(map(chr, one)) for one in ids]
        return "".join(map(chr, ids))


def ids(text: str) -> list[int]:
    return [ord(character) for character in text]


@pytest.mark.parametrize("stream", streams(), ids=lambda stream: stream.name)
def test_spans_hold_the_calls(stream: Stream) -> None:
    found = spans.calls(stream.text, tools=TOOLS, dialect=stream.dialect)
    assert [(call.name, call.arguments) for call in found if call.finished] == finished(stream)
    message = toolglot.parse(stream.text, tools=TOOLS, dialect=stream.dialect)
    assert [stream.text[c.start : c.end] for c in found if not c.finished] == [c.text for c in message.incomplete]
    assert all(call.name in stream.text[call.start : call.end] for call in found)
    places = spans.token_spans(found, stream.pieces)
    for call, (first, last) in zip(found, places, strict=True):
        joined = "".join(stream.pieces[first:last])
        assert stream.text[call.start : call.end] in joined


@pytest.mark.parametrize("stream", streams(), ids=lambda stream: stream.name)
def test_parse_response(stream: Stream) -> None:
    tokenizer = transformers.use(Tokenizer(), stream.dialect)
    read: Any = tokenizer.parse_response  # type: ignore[attr-defined]
    found = read(ids(stream.text), prefix="", tools=TOOLS)
    wanted = toolglot.parse(stream.text, tools=TOOLS, dialect=stream.dialect).calls
    calls = [(call["function"]["name"], call["function"]["arguments"]) for call in found.get("tool_calls", [])]
    assert calls == [(call.name, call.args) for call in wanted]
    assert read([stream.text, ids("x") and "x"], prefix="")[1] == {"role": "assistant", "content": "x"}
    assert read("So.</think>Hi.", prefix="assistant:\n<think>\n")["reasoning_content"] == "So."


def test_trl_calls_the_method() -> None:
    utils = pytest.importorskip("trl.chat_template_utils")
    tokenizer = trl.use(Tokenizer(), "hermes")
    text = '<tool_call>{"name": "ping", "arguments": {}}</tool_call><|im_end|>'
    found = utils.parse_response(tokenizer, ids(text), prefix=ids("assistant:"), tools=TOOLS)
    assert found["tool_calls"][0]["function"] == {"name": "ping", "arguments": {}}


def test_a_reward_for_wellformed_calls() -> None:
    good = '<tool_call>{"name": "f", "arguments": {}}</tool_call>'
    cut = '<tool_call>{"name": "f", "arguments": {"a": 1'
    assert trl.wellformed_reward([good, good + cut, "hi", [{"role": "assistant", "content": good}]]) == [1, 0.5, 1, 1]


@pytest.mark.parametrize("stream", streams(), ids=lambda stream: stream.name)
def test_verl(stream: Stream) -> None:
    host = pytest.importorskip("verl.experimental.agent_loop.tool_parser")
    import toolglot.verl

    parser = host.ToolParser.get_tool_parser(f"toolglot_{stream.dialect}", Tokenizer())
    tools = [host.OpenAIFunctionToolSchema(**_described(tool)) for tool in TOOLS]
    _, calls = asyncio.run(parser.extract_tool_calls(ids(stream.text), tools))
    assert [(call.name, call.arguments) for call in calls] == finished(stream)


def _described(tool: Any) -> Any:
    function = {"description": "x", **tool["function"]}
    parameters = {"required": [], **function["parameters"]}
    return {"type": "function", "function": {**function, "parameters": parameters}}


@pytest.mark.parametrize("stream", streams(), ids=lambda stream: stream.name)
def test_renderers(stream: Stream) -> None:
    parsers = pytest.importorskip("renderers.parsers")
    import toolglot.renderers

    content, calls = parsers.TOOL_PARSERS[f"toolglot_{stream.dialect}"](Tokenizer()).extract(ids(stream.text))
    found = spans.calls(stream.text, dialect=stream.dialect)
    assert [call.status.value == "ok" for call in calls] == [call.finished for call in found]
    for call in calls:
        assert call.token_span and Tokenizer().decode(ids(stream.text)[slice(*call.token_span)]) == call.raw
    assert len(content) == len(stream.text) - sum(len(call.raw) for call in calls)


@pytest.mark.parametrize("stream", streams(), ids=lambda stream: stream.name)
def test_bfcl_decodes_as_parse_says(stream: Stream) -> None:
    wanted = toolglot.parse(stream.text, dialect=stream.dialect).calls
    assert bfcl.decode_ast(stream.text, stream.dialect) == [{call.name: call.args} for call in wanted]
    made = bfcl.handler(object, stream.dialect)()
    assert made.decode_execute(stream.text) == bfcl.decode_execute(stream.text, stream.dialect)
    for call, line in zip(wanted, made.decode_execute(stream.text), strict=True):
        assert eval(line, {call.name: lambda **given: given}) == call.args


def test_bfcl() -> None:
    text = '<tool_call>{"name": "f", "arguments": {"a": "x"}}</tool_call>'
    made = bfcl.handler(object)()
    assert made.decode_ast(text) == [{"f": {"a": "x"}}] and made.decode_execute(text) == ["f(a='x')"]
    config = pytest.importorskip("bfcl_eval.constants.model_config")
    name, other = next(iter(config.MODEL_CONFIG_MAPPING.items()))
    bfcl.register("toolglot-test", other, "hermes")
    assert config.MODEL_CONFIG_MAPPING["toolglot-test"].display_name.endswith("(toolglot)")
