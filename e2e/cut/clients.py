"""The openai and anthropic SDKs, used as agents use them: gather the pieces, run what parses. Lines as in ai_sdk.mjs."""
import json
import sys

import anthropic
import openai

TOOL = {"name": "bash", "description": "bash"}
SCHEMA = {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}
FINISH = {"incomplete": "length", "completed": "stop", "max_tokens": "length", "tool_use": "tool_calls", "end_turn": "stop"}


def chat(url, model):
    client = openai.OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0)
    tools = [{"type": "function", "function": TOOL | {"parameters": SCHEMA}}]
    calls, finish = {}, None
    for chunk in client.chat.completions.create(model=model, messages=[{"role": "user", "content": "go"}], tools=tools, stream=True):
        for choice in chunk.choices:
            for call in choice.delta.tool_calls or []:
                calls[call.index] = calls.get(call.index, "") + (call.function.arguments or "")
            finish = choice.finish_reason or finish
    return calls.values(), finish


def responses(url, model):
    client = openai.OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0)
    calls, finish = [], None
    for event in client.responses.create(model=model, input="go", tools=[{"type": "function", **TOOL, "parameters": SCHEMA}], stream=True):
        if event.type == "error":
            raise RuntimeError(event.message)
        if event.type == "response.output_item.done" and event.item.type == "function_call":
            calls.append(event.item.arguments)
        if event.type in ("response.completed", "response.incomplete"):
            finish = FINISH[event.response.status]
    return calls, finish


def messages(url, model):
    client = anthropic.Anthropic(base_url=url, api_key="none", max_retries=0)
    calls, finish = {}, None
    tools = [TOOL | {"input_schema": SCHEMA}]
    with client.messages.create(model=model, max_tokens=9, messages=[{"role": "user", "content": "go"}], tools=tools, stream=True) as stream:
        for event in stream:
            if event.type == "content_block_delta" and event.delta.type == "input_json_delta":
                calls[event.index] = calls.get(event.index, "") + event.delta.partial_json
            if event.type == "message_delta":
                finish = FINISH[event.delta.stop_reason]
    return calls.values(), finish


def is_object(text):
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


for line in sys.stdin:
    job = json.loads(line)
    said = {"ran": 0, "calls": 0, "invalid": 0, "errors": 0, "finish": None}
    try:
        calls, said["finish"] = {"chat": chat, "responses": responses, "messages": messages}[job["protocol"]](job["base_url"], job["model"])
        said["ran"] = said["calls"] = sum(map(is_object, calls))
    except Exception as error:  # whatever an SDK throws at its user is a result here
        said["errors"], said["thrown"] = 1, repr(error)[:300]
    print(json.dumps(said), flush=True)
