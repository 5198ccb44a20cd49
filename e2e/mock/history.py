"""Checks the second request of a tool turn: whatever was broken in the answer before, this has to be well formed."""
import json


class Wrong(Exception):
    """Returns what is wrong with a request."""


def need(truth, what):
    if not truth:
        raise Wrong(what)


def is_follow_up(protocol, request):
    """Returns whether a request has the results of tools."""
    if protocol == "responses":
        return isinstance(request["input"], list) and any(item.get("type") == "function_call_output" for item in request["input"])
    if protocol == "chat":
        return any(message["role"] == "tool" for message in request["messages"])
    return any(block["type"] == "tool_result" for message in request["messages"] for block in _blocks(message))


def check(protocol, request, due):
    """Checks the calls in the history and their results, against the calls that are due if they are known."""
    calls, results = {"chat": _chat, "messages": _messages, "responses": _responses}[protocol](request)
    ids = [id for id, _, _ in calls]
    need(all(isinstance(id, str) and id for id in ids), f"a call without id: {ids}")
    need(len(set(ids)) == len(ids), f"an id stands twice: {ids}")
    need([id for id, _ in results] == ids, f"results of {[id for id, _ in results]} for calls {ids}")
    for _, text in results:
        need("sunny" in text, f"a result was {text!r}")
    found = [{"name": name, "arguments": arguments} for _, name, arguments in calls]
    need(due is None or found == due, f"the history has the calls {found}, not {due}")


def _chat(request):
    calls, results = [], []
    for message in request["messages"]:
        for call in message.get("tool_calls") or []:
            need(call.get("type") == "function", "a call in the history has no type")
            need(isinstance(call["function"]["arguments"], str), "the arguments in the history are no text")
            calls.append((call.get("id"), call["function"]["name"], _json(call["function"]["arguments"])))
        if message["role"] == "tool":
            results.append((message.get("tool_call_id"), _text(message["content"])))
    return calls, results


def _messages(request):
    calls, results = [], []
    for message in request["messages"]:
        for block in _blocks(message):
            if block["type"] == "tool_use":
                need(isinstance(block["input"], dict), "the input in the history is no object")
                calls.append((block.get("id"), block["name"], block["input"]))
            elif block["type"] == "tool_result":
                results.append((block["tool_use_id"], _text(block["content"])))
    return calls, results


def _responses(request):
    calls, results = [], []
    for item in request["input"]:
        if item.get("type") == "function_call":
            need(isinstance(item["arguments"], str), "the arguments in the history are no text")
            calls.append((item.get("call_id"), item["name"], _json(item["arguments"])))
        elif item.get("type") == "function_call_output":
            results.append((item["call_id"], _text(item["output"])))
    return calls, results


def _blocks(message):
    return message["content"] if isinstance(message["content"], list) else []


def _text(content):
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


def _json(text):
    try:
        return json.loads(text)
    except ValueError:
        raise Wrong(f"the arguments in the history are no JSON: {text!r}") from None
