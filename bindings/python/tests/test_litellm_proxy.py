"""LiteLLM's own proxy, started as its users start it, between plain clients and a server that knows nothing of tool calls."""

from __future__ import annotations

import json
import os
import secrets
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("litellm.proxy.proxy_server")
httpx = pytest.importorskip("httpx")

TEXT = 'Hi.\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>'
CUT = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Par'
USAGE = {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7}
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
CHAT_TOOLS = [{"type": "function", "function": {"name": "get_weather", "parameters": SCHEMA}}]
TOOLS = [{"name": "get_weather", "input_schema": SCHEMA}]
#: The proxy does not start without one.
KEY = "sk-" + secrets.token_hex(32)
ASKED: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": "x"}], "max_tokens": 99}


class Upstream(BaseHTTPRequestHandler):
    """Answers with text; the model `cut` is cut off by its limit."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        pass

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        text, reason = (CUT, "length") if asked["model"] == "cut" else (TEXT, "stop")
        head = {"id": "c1", "created": 1, "model": asked["model"]}
        if not asked.get("stream"):
            message = {"role": "assistant", "content": text}
            choices = [{"index": 0, "message": message, "finish_reason": reason}]
            return self.send(json.dumps({**head, "object": "chat.completion", "choices": choices, "usage": USAGE}))
        pieces = [{"content": text[at : at + 7]} for at in range(0, len(text), 7)]
        chunks = [{"index": 0, "delta": piece, "finish_reason": None} for piece in pieces]
        chunks.append({"index": 0, "delta": {}, "finish_reason": reason})
        frames: list[Any] = [{**head, "object": "chat.completion.chunk", "choices": [chunk]} for chunk in chunks]
        frames.append({**head, "object": "chat.completion.chunk", "choices": [], "usage": USAGE})
        self.send("".join(f"data: {json.dumps(frame)}\n\n" for frame in frames) + "data: [DONE]\n\n", "text/event-stream")

    def send(self, text: str, kind: str = "application/json") -> None:
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


CALLBACK = "litellm_settings:\n  callbacks: ['toolglot.litellm.handler']\n"
GUARDRAIL = """guardrails:
  - guardrail_name: calls
    litellm_params: {guardrail: toolglot.litellm.Guardrail, mode: post_call, default_on: true}
"""


@pytest.fixture(scope="module", params=[CALLBACK, GUARDRAIL], ids=["callback", "guardrail"])
def proxy(request: Any, tmp_path_factory: Any) -> Iterator[str]:
    """The address of a proxy of LiteLLM's that has the hook in its settings."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Upstream)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    base = f"http://127.0.0.1:{server.server_port}/v1"
    models = "".join(
        f"  - model_name: {name}\n    litellm_params: {{model: hosted_vllm/{name}, api_base: '{base}', api_key: k}}\n"
        for name in ("m", "cut")
    )
    folder: Path = tmp_path_factory.mktemp("litellm")
    (folder / "config.yaml").write_text("model_list:\n" + models + request.param)
    port = free_port()
    command = [str(Path(sys.executable).with_name("litellm")), "--config", str(folder / "config.yaml")]
    command += ["--host", "127.0.0.1", "--port", str(port)]
    quiet = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "NO_DOCS": "True", "PYTHONUNBUFFERED": "1", "LITELLM_MASTER_KEY": KEY}
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, env={**os.environ, **quiet}, cwd=folder)
    address = f"http://127.0.0.1:{port}"
    try:
        wait_for(address, process, folder / "log")
        yield address
    finally:
        process.terminate()
        process.wait(20)
        server.shutdown()


def wait_for(address: str, process: Any, log: Path) -> None:
    end = time.monotonic() + 180
    while time.monotonic() < end and process.poll() is None:
        try:
            if httpx.get(f"{address}/health/liveliness", timeout=5).status_code == 200:
                return
        except httpx.HTTPError:
            time.sleep(0.5)
    pytest.fail(f"LiteLLM's proxy did not start: {log.read_text()[-2000:]}")


def asked(proxy: str, path: str, body: dict[str, Any]) -> Any:
    answer = httpx.post(proxy + path, json=body, headers={"authorization": f"Bearer {KEY}"}, timeout=60)
    assert answer.status_code == 200, answer.text
    return answer


def events(answer: Any) -> list[Any]:
    data = [line[6:] for line in answer.text.splitlines() if line.startswith("data: {")]
    return [json.loads(line) for line in data]


def chat(events: list[Any]) -> tuple[str, list[tuple[str, str]], str, Any]:
    """What a client of Chat puts together."""
    content, calls, reason, usage = "", {}, "", None
    for event in events:
        usage = event.get("usage") or usage
        for choice in event["choices"]:
            delta, reason = choice["delta"], choice.get("finish_reason") or reason
            content += delta.get("content") or ""
            for call in delta.get("tool_calls") or []:
                name, arguments = calls.get(call["index"], ("", ""))
                function = call["function"]
                calls[call["index"]] = (name + (function.get("name") or ""), arguments + (function.get("arguments") or ""))
    return content, list(calls.values()), reason, usage


def test_chat(proxy: str) -> None:
    choice = asked(proxy, "/v1/chat/completions", {**ASKED, "tools": CHAT_TOOLS}).json()["choices"][0]
    [call] = choice["message"]["tool_calls"]
    assert (call["function"]["name"], json.loads(call["function"]["arguments"])) == ("get_weather", {"city": "Paris"})
    assert choice["finish_reason"] == "tool_calls" and "tool_call>" not in choice["message"]["content"]


def test_chat_streamed(proxy: str) -> None:
    body = {**ASKED, "tools": CHAT_TOOLS, "stream": True, "stream_options": {"include_usage": True}}
    content, calls, reason, usage = chat(events(asked(proxy, "/v1/chat/completions", body)))
    assert calls == [("get_weather", '{"city": "Paris"}')] and reason == "tool_calls"
    assert content.strip() == "Hi." and usage["total_tokens"] == 7


def test_chat_cut(proxy: str) -> None:
    body = {**ASKED, "model": "cut", "tools": CHAT_TOOLS, "stream": True}
    _, calls, reason, _ = chat(events(asked(proxy, "/v1/chat/completions", body)))
    assert reason == "length"
    for _, arguments in calls:
        with pytest.raises(json.JSONDecodeError):
            json.loads(arguments)


def test_messages(proxy: str) -> None:
    said = asked(proxy, "/v1/messages", {**ASKED, "tools": TOOLS}).json()
    [call] = [block for block in said["content"] if block["type"] == "tool_use"]
    assert (call["name"], call["input"], said["stop_reason"]) == ("get_weather", {"city": "Paris"}, "tool_use")
    assert "tool_call>" not in json.dumps(said)


def test_messages_streamed(proxy: str) -> None:
    body = {**ASKED, "tools": TOOLS, "stream": True}
    said = events(asked(proxy, "/v1/messages", body))
    starts = [event["content_block"] for event in said if event["type"] == "content_block_start"]
    assert [block["name"] for block in starts if block["type"] == "tool_use"] == ["get_weather"]
    deltas = [event["delta"] for event in said if event["type"] == "content_block_delta"]
    arguments = "".join(delta["partial_json"] for delta in deltas if delta["type"] == "input_json_delta")
    assert json.loads(arguments) == {"city": "Paris"}
    [end] = [event for event in said if event["type"] == "message_delta"]
    assert end["delta"]["stop_reason"] == "tool_use" and end["usage"]["output_tokens"] == 4


def test_without_tools_nothing_changes(proxy: str) -> None:
    assert asked(proxy, "/v1/chat/completions", ASKED).json()["choices"][0]["message"]["content"] == TEXT
    content, calls, reason, _ = chat(events(asked(proxy, "/v1/chat/completions", {**ASKED, "stream": True})))
    assert (content, calls, reason) == (TEXT, [], "stop")
