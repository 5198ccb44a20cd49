"""Requests to model servers and their answers: the calls are those that `parse` finds."""

from __future__ import annotations

import json
from typing import Any, Literal

import pytest
import toolglot
from streams import TOOLS, Stream, finished, runnable, streams
from toolglot._message import FinishReason

MESSAGES = [{"role": "user", "content": "?"}]
ASKED: dict[str, Any] = {"model": "m", "stream": True, "messages": MESSAGES, "tools": TOOLS}
CALL = '<tool_call>{"name": "write_file", "arguments": {"path": "a", "mode": "1"}}</tool_call>'


def reason(stream: Stream) -> FinishReason:
    return "length" if stream.name.endswith("cut") else "stop"


def sent(stream: Stream) -> bytes:
    """A stream of Chat Completions, from a server that knows nothing of calls."""
    choices = [{"index": 0, "delta": {"content": piece}, "finish_reason": None} for piece in stream.pieces]
    choices.append({"index": 0, "delta": {}, "finish_reason": reason(stream)})
    head = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    return b"".join(frame({**head, "choices": [choice]}) for choice in choices) + b"data: [DONE]\n\n"


def frame(data: Any) -> bytes:
    return b"data: " + json.dumps(data).encode() + b"\n\n"


def answer(text: str, reason: str = "stop") -> str:
    """A whole answer of such a server."""
    message = {"role": "assistant", "content": text}
    choices = [{"index": 0, "message": message, "finish_reason": reason}]
    return json.dumps({"id": "c1", "object": "chat.completion", "created": 1, "model": "m", "choices": choices})


def calls(out: bytes) -> list[tuple[str, str]]:
    """The calls of a stream, joined."""
    found: dict[int, tuple[str, str]] = {}
    lines = [line.removeprefix(b"data: ") for line in out.splitlines() if line.startswith(b"data: {")]
    for choice in (choice for line in lines for choice in json.loads(line)["choices"]):
        for call in choice["delta"].get("tool_calls", []):
            name, arguments = found.get(call["index"], ("", ""))
            function = call["function"]
            found[call["index"]] = (name + (function.get("name") or ""), arguments + (function.get("arguments") or ""))
    return list(found.values())


@pytest.mark.parametrize("stream", streams(), ids=lambda stream: stream.name)
def test_streams_and_whole_answers_have_the_calls_of_parse(stream: Stream) -> None:
    exchange = toolglot.Exchange(ASKED, dialect=stream.dialect)
    upstream, outs = sent(stream), []
    for size in (1, 7, len(upstream)):
        turn = exchange.turn(id_seed=7, now=1)
        pieces = [turn.push(upstream[at : at + size]) for at in range(0, len(upstream), size)]
        outs.append(b"".join(pieces) + turn.finish())
        assert turn.is_over and turn.report()["calls"] == len(finished(stream, reason(stream)))
    assert len({*outs}) == 1 and runnable(calls(outs[0])) == finished(stream, reason(stream))
    whole = json.loads(exchange.turn().whole(answer(stream.text, reason(stream))))
    found = [call["function"] for call in whole["choices"][0]["message"].get("tool_calls") or []]
    assert [(call["name"], call["arguments"]) for call in found] == finished(stream, reason(stream))


CLIENTS: list[tuple[Literal["chat", "responses", "messages", "ollama"], dict[str, Any], Any]] = [
    ("chat", {"messages": MESSAGES}, lambda body: body["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"]),
    ("responses", {"input": "?"}, lambda body: body["output"][-1]["arguments"]),
    ("messages", {"messages": MESSAGES, "max_tokens": 9}, lambda body: json.dumps(body["content"][-1]["input"])),
    ("ollama", {"messages": MESSAGES}, lambda body: json.dumps(body["message"]["tool_calls"][0]["function"]["arguments"])),
]


@pytest.mark.parametrize(("client", "request_", "arguments"), CLIENTS, ids=[client[0] for client in CLIENTS])
def test_each_client_gets_the_call_in_its_protocol(client: Any, request_: Any, arguments: Any) -> None:
    function = TOOLS[0]["function"]
    shapes = {
        "responses": {"type": "function", **function},
        "messages": {"name": "write_file", "input_schema": function["parameters"]},
    }
    asked = {"model": "m", "stream": False, "tools": [shapes.get(client, TOOLS[0])], **request_}
    for request in (asked, json.dumps(asked), json.dumps(asked).encode()):
        exchange = toolglot.Exchange(request, client=client)
        assert json.loads(exchange.body)["messages"][-1]["content"] and not exchange.is_stream
        assert json.loads(arguments(json.loads(exchange.turn().whole(answer(CALL))))) == {"path": "a", "mode": 1}


def test_settings_reach_the_request_and_the_answer() -> None:
    history = [
        *MESSAGES,
        {"role": "assistant", "tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "ping", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "call_1", "content": "ok"},
    ]
    asked = {**ASKED, "stream": False, "messages": history}
    settings: Any = {"engine": "vllm", "upstream_model": "served", "history_ids": "nine", "reasoning_field": "both"}
    exchange = toolglot.Exchange(asked, **settings, reasoning_open=True, validation="strict")
    body = json.loads(exchange.body)
    assert (body["model"], body["skip_special_tokens"]) == ("served", False)
    assert len(body["messages"][1]["tool_calls"][0]["id"]) == 9
    refused = '<tool_call>{"name": "write_file", "arguments": {}}</tool_call>'
    [choice] = json.loads(exchange.turn().whole(answer(f"Hm.</think>{refused}")))["choices"]
    message = choice["message"]
    assert message["reasoning"] == message["reasoning_content"] == "Hm."
    assert message["content"] == refused and not message.get("tool_calls")
    plain = toolglot.Exchange(asked)
    assert "skip_special_tokens" not in json.loads(plain.body) and json.loads(plain.body)["model"] == "m"


def test_without_tools_the_answer_is_unchanged_unless_forced() -> None:
    asked = {"model": "m", "messages": MESSAGES}
    relay, forced = toolglot.Exchange(asked), toolglot.Exchange(asked, forced=True)
    assert relay.is_relay and not forced.is_relay
    assert relay.turn().whole(answer(CALL)) == answer(CALL).encode()
    assert json.loads(forced.turn().whole(answer(CALL)))["choices"][0]["finish_reason"] == "tool_calls"


def test_ids_follow_from_the_seed() -> None:
    exchange = toolglot.Exchange({**ASKED, "stream": False})

    def call_id(**given: int) -> str:
        choices = json.loads(exchange.turn(**given).whole(answer(CALL)))["choices"]
        found: str = choices[0]["message"]["tool_calls"][0]["id"]
        return found

    assert call_id(id_seed=7) == call_id(id_seed=7) == toolglot.mint(7, 0) != call_id(id_seed=8)
    assert call_id() != call_id()


def test_an_interrupted_stream_ends_with_an_error() -> None:
    turn = toolglot.Exchange(ASKED).turn()
    turn.push(frame({"choices": [{"index": 0, "delta": {"content": "Hi."}}]}))
    assert b"connection lost" in turn.finish("connection lost")


@pytest.mark.parametrize(
    ("make", "kind", "words"),
    [
        (lambda: toolglot.Exchange(ASKED, client="chatt"), toolglot.ToolglotError, "unknown protocol `chatt`; use chat"),  # type: ignore[arg-type]
        (lambda: toolglot.Exchange(ASKED, engine="vlm"), toolglot.ToolglotError, "unknown engine `vlm`; use one of generic"),  # type: ignore[arg-type]
        (lambda: toolglot.Exchange(ASKED, reasoning_field="x"), toolglot.ToolglotError, "use reasoning_content"),  # type: ignore[arg-type]
        (lambda: toolglot.Exchange(ASKED, history_ids="x"), toolglot.ToolglotError, "use kept"),  # type: ignore[arg-type]
        (lambda: toolglot.Exchange(ASKED, validation="hard"), toolglot.ToolglotError, "`hard`"),  # type: ignore[arg-type]
        (lambda: toolglot.Exchange(ASKED, dialect="hermez"), toolglot.ToolglotError, "`hermes`"),
        (lambda: toolglot.Exchange(ASKED, forced="yes"), TypeError, "`forced` cannot be"),  # type: ignore[arg-type]
        (lambda: toolglot.Exchange(ASKED, finish_reason="stop"), TypeError, "unknown option `finish_reason`"),  # type: ignore[call-arg]
        (lambda: toolglot.Exchange(ASKED).turn(id_seed=-1), toolglot.ToolglotError, "`id_seed` must be from 0"),
        (lambda: toolglot.Exchange(ASKED).turn(now="x"), TypeError, "`now` cannot be"),  # type: ignore[arg-type]
        (lambda: toolglot.mint(1 << 64, 0), toolglot.ToolglotError, "`seed` must be from 0"),
    ],
)
def test_wrong_settings_say_what_is_right(make: Any, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        make()


def test_an_error_carries_an_answer_for_the_client() -> None:
    with pytest.raises(toolglot.ExchangeError) as raised:
        toolglot.Exchange("{", client="messages")
    body = json.loads(raised.value.body)
    assert (raised.value.status, body["type"]) == (400, "error")
    assert body["error"]["message"] == str(raised.value)
    for failed, status in (("<html>", 502), ('{"error": {"message": "busy", "type": "overloaded_error"}}', 503)):
        with pytest.raises(toolglot.ExchangeError) as raised:
            toolglot.Exchange({**ASKED, "stream": False}).turn().whole(failed)
        assert raised.value.status == status
        assert json.loads(raised.value.body)["error"]["message"] == str(raised.value)
