"""OpenAI's and Anthropic's own clients, wrapped, before a server that knows nothing of tool calls."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from streams import TOOLS, Stream, begun, finished, runnable, streams

openai = pytest.importorskip("openai")

from openai import _base_client
from toolglot._message import FinishReason

# What this version of the client sends with.
httpx = getattr(_base_client, "httpx2", None) or _base_client.httpx

import toolglot.openai

ASKED: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": "x"}], "tools": TOOLS}


def reason(stream: Stream) -> FinishReason:
    return "length" if stream.name.endswith("cut") else "stop"


def server(stream: Stream, seen: list[Any]) -> Any:
    """Answers every request with the text of a stream, as a server without a parser does."""

    def answer(request: Any) -> Any:
        body = json.loads(request.content)
        seen.append(body)
        head = {"id": "c1", "created": 1, "model": "m"}
        if not body.get("stream"):
            message = {"role": "assistant", "content": stream.text}
            choices = [{"index": 0, "message": message, "finish_reason": reason(stream)}]
            return httpx.Response(200, json={**head, "object": "chat.completion", "choices": choices})
        deltas = [{"content": piece} for piece in stream.pieces]
        chunks = [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas]
        chunks.append({"index": 0, "delta": {}, "finish_reason": reason(stream)})
        frames = [{**head, "object": "chat.completion.chunk", "choices": [choice]} for choice in chunks]
        text = "".join(f"data: {json.dumps(frame)}\n\n" for frame in frames) + "data: [DONE]\n\n"
        return httpx.Response(200, headers={"content-type": "text/event-stream"}, content=text.encode())

    return answer


def client(stream: Stream, seen: list[Any] | None = None, kind: Any = None, **options: Any) -> Any:
    transport = httpx.MockTransport(server(stream, [] if seen is None else seen))
    if kind is openai.AsyncOpenAI:
        made = kind(api_key="k", base_url="http://server/v1", http_client=httpx.AsyncClient(transport=transport))
    else:
        made = openai.OpenAI(api_key="k", base_url="http://server/v1", http_client=httpx.Client(transport=transport))
    return toolglot.openai.wrap(made, dialect=stream.dialect, **options)


def put_together(chunks: Any) -> tuple[list[tuple[str, str]], str | None]:
    calls: dict[int, tuple[str, str]] = {}
    reason = None
    for chunk in chunks:
        for choice in chunk.choices:
            reason = choice.finish_reason or reason
            for call in choice.delta.tool_calls or []:
                name, arguments = calls.get(call.index, ("", ""))
                calls[call.index] = (name + (call.function.name or ""), arguments + (call.function.arguments or ""))
    return list(calls.values()), reason


def test_reasoning_that_the_prompt_opened_is_no_content() -> None:
    stream = Stream("open", "hermes", "Hm.</think>Hi.", ("Hm.</th", "ink>Hi."))
    opened = client(stream, reasoning_open=True)
    message = opened.chat.completions.create(**ASKED).choices[0].message
    assert (message.reasoning_content, message.content) == ("Hm.", "Hi.")
    deltas = [chunk.choices[0].delta for chunk in opened.chat.completions.create(**ASKED, stream=True)]
    assert "".join(delta.content or "" for delta in deltas) == "Hi."


@pytest.mark.parametrize("stream", streams(), ids=lambda stream: stream.name)
def test_streams_and_whole_answers_are_as_parse_says(stream: Stream) -> None:
    wrapped = client(stream)
    calls, ended = put_together(wrapped.chat.completions.create(**ASKED, stream=True))
    # What was begun cannot be taken back, and is no JSON.
    assert runnable(calls) == finished(stream, reason(stream)) and len(calls) <= len(begun(stream))
    message = wrapped.chat.completions.create(**ASKED).choices[0].message
    found = [(call.function.name, call.function.arguments) for call in message.tool_calls or []]
    assert found == finished(stream, reason(stream))
    assert ended == ("length" if reason(stream) == "length" else "tool_calls" if finished(stream) else "stop")


def test_asynchronous_clients(weather: Any) -> None:
    stream = streams()[0]

    async def ask() -> Any:
        wrapped = client(stream, kind=openai.AsyncOpenAI)
        return [chunk async for chunk in await wrapped.chat.completions.create(**ASKED, stream=True)]

    assert put_together(asyncio.run(ask())) == (finished(stream), "tool_calls")


def test_requests_without_tools_pass_untouched() -> None:
    seen: list[Any] = []
    stream = streams()[0]
    asked = {"model": "m", "messages": ASKED["messages"]}
    message = client(stream, seen).chat.completions.create(**asked).choices[0].message
    assert message.content == stream.text and not message.tool_calls and seen == [asked]


def test_errors_of_the_server_stay_its_own() -> None:
    transport = httpx.MockTransport(lambda _: httpx.Response(400, json={"error": {"message": "no such model"}}))
    plain = openai.OpenAI(api_key="k", base_url="http://s/v1", http_client=httpx.Client(transport=transport), max_retries=0)
    with pytest.raises(openai.BadRequestError, match="no such model"):
        toolglot.openai.wrap(plain).chat.completions.create(**ASKED)


def test_what_is_no_client_is_told() -> None:
    with pytest.raises(TypeError, match="expected a client of OpenAI or Anthropic, found int"):
        toolglot.openai.wrap(3)


def test_the_client_that_was_wrapped_stays_as_it_was() -> None:
    stream = streams()[0]
    transport = httpx.MockTransport(server(stream, []))
    plain = openai.OpenAI(api_key="k", base_url="http://s/v1", http_client=httpx.Client(transport=transport))
    toolglot.openai.wrap(plain)
    assert plain.chat.completions.create(**ASKED).choices[0].message.content == stream.text


def test_anthropics_client() -> None:
    anthropic = pytest.importorskip("anthropic")
    text = 'Hi.<tool_call>{"name": "ping", "arguments": {}}</tool_call>'
    body = {"id": "m1", "type": "message", "role": "assistant", "model": "m", "stop_reason": "end_turn"}
    body |= {"content": [{"type": "text", "text": text}], "usage": {"input_tokens": 1, "output_tokens": 1}}
    from anthropic import _base_client as base

    sends = getattr(base, "httpx2", None) or base.httpx
    http = sends.Client(transport=sends.MockTransport(lambda _: sends.Response(200, json=body)))
    wrapped = toolglot.openai.wrap(anthropic.Anthropic(api_key="k", base_url="http://s", http_client=http))
    tools = [{"name": "ping", "input_schema": {"type": "object"}}]
    said = wrapped.messages.create(model="m", max_tokens=9, messages=[{"role": "user", "content": "x"}], tools=tools)
    assert [block.type for block in said.content] == ["text", "tool_use"] and said.stop_reason == "tool_use"
