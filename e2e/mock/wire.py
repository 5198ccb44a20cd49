"""What a faultless server of each protocol sends for a turn: as labelled frames of a stream, and as one body.

A turn is {"text", "reasoning", "calls": [{"id", "name", "arguments"}]}; every part may be missing.
The labels are what the edits of the variants (variants.py) speak of.
"""
import dataclasses
import json

MODEL = "scripted"
USAGE = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}


@dataclasses.dataclass(eq=False)
class Frame:
    label: str
    data: object
    event: str | None = None


def pieces(text, size=7):
    return [text[at:at + size] for at in range(0, len(text), size)]


def _halves(call):
    text = json.dumps(call["arguments"], ensure_ascii=False)
    return [text[:9], text[9:]] if len(text) > 9 else [text]


# Chat Completions: role, reasoning*, text*, (head, args*)*, finish, usage, done

def chat_chunk(delta, finish=None):
    return {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": MODEL,
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def chat_stream(turn, finish=None, usage=False):
    def frame(label, delta, finish=None):
        frames.append(Frame(label, chat_chunk(delta, finish)))

    frames, calls = [], turn.get("calls", [])
    frame("role", {"role": "assistant", "content": ""})
    for piece in pieces(turn.get("reasoning", "")):
        frame("reasoning", {"reasoning_content": piece})
    for piece in pieces(turn.get("text", "")):
        frame("text", {"content": piece})
    for index, call in enumerate(calls):
        function = {"name": call["name"], "arguments": ""}
        frame("head", {"tool_calls": [{"index": index, "id": call["id"], "type": "function", "function": function}]})
        for piece in _halves(call):
            frame("args", {"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    frame("finish", {}, finish or ("tool_calls" if calls else "stop"))
    if usage:
        frames.append(Frame("usage", chat_chunk({}) | {"choices": [], "usage": USAGE}))
    return [*frames, Frame("done", "[DONE]")]


def chat_whole(turn, finish=None):
    calls = [{"id": call["id"], "type": "function", "function": {
        "name": call["name"], "arguments": json.dumps(call["arguments"], ensure_ascii=False)}} for call in turn.get("calls", [])]
    message = {"role": "assistant", "content": turn.get("text"), "refusal": None}
    message |= {"tool_calls": calls} if calls else {}
    message |= {"reasoning_content": turn["reasoning"]} if "reasoning" in turn else {}
    choice = {"index": 0, "message": message, "finish_reason": finish or ("tool_calls" if calls else "stop")}
    return {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": MODEL, "choices": [choice], "usage": USAGE}


# Messages: start, ping, (thinking_start, thinking*, signature, thinking_stop)?, (text_start, text*, text_stop)?,
#           (tool_start, input*, tool_stop)*, delta, stop

def messages_stream(turn, finish=None):
    def frame(label, kind, **data):
        frames.append(Frame(label, {"type": kind, **data}, kind))

    def block(label, start, deltas, kind, key):
        frame(f"{label}_start", "content_block_start", index=index, content_block=start)
        for piece in deltas:
            frame("input" if label == "tool" else label, "content_block_delta", index=index, delta={"type": kind, key: piece})
        if label == "thinking":
            frame("signature", "content_block_delta", index=index, delta={"type": "signature_delta", "signature": "c2ln"})
        frame(f"{label}_stop", "content_block_stop", index=index)

    frames, index = [], 0
    message = messages_whole(turn) | {"content": [], "stop_reason": None, "usage": {"input_tokens": 11, "output_tokens": 1}}
    frame("start", "message_start", message=message)
    frame("ping", "ping")
    if turn.get("reasoning"):
        start = {"type": "thinking", "thinking": "", "signature": ""}
        block("thinking", start, pieces(turn["reasoning"]), "thinking_delta", "thinking")
        index += 1
    if turn.get("text"):
        block("text", {"type": "text", "text": ""}, pieces(turn["text"]), "text_delta", "text")
        index += 1
    for call in turn.get("calls", []):
        start = {"type": "tool_use", "id": call["id"], "name": call["name"], "input": {}}
        block("tool", start, _halves(call), "input_json_delta", "partial_json")
        index += 1
    stop = finish or ("tool_use" if turn.get("calls") else "end_turn")
    frame("delta", "message_delta", delta={"stop_reason": stop, "stop_sequence": None}, usage={"output_tokens": 7})
    frame("stop", "message_stop")
    return frames


def messages_whole(turn, finish=None):
    content = [{"type": "thinking", "thinking": turn["reasoning"], "signature": "c2ln"}] if turn.get("reasoning") else []
    content += [{"type": "text", "text": turn["text"]}] if turn.get("text") else []
    content += [{"type": "tool_use", "id": call["id"], "name": call["name"], "input": call["arguments"]}
                for call in turn.get("calls", [])]
    stop = finish or ("tool_use" if turn.get("calls") else "end_turn")
    return {"id": "msg_1", "type": "message", "role": "assistant", "model": MODEL, "content": content, "stop_reason": stop,
            "stop_sequence": None, "usage": {"input_tokens": 11, "output_tokens": 7}}


# Responses: created, in_progress, (reasoning_added ... reasoning_done)?,
#            (message_added, part_added, text*, text_done, part_done, message_done)?,
#            (call_added, args*, args_done, call_done)*, completed

def responses_stream(turn, finish=None):
    def frame(label, kind, **data):
        frames.append(Frame(label, {"type": kind, **data}, kind))

    frames, body = [], responses_whole(turn)
    begun = body | {"status": "in_progress", "output": [], "usage": None}
    frame("created", "response.created", response=begun)
    frame("in_progress", "response.in_progress", response=begun)
    for index, item in enumerate(body["output"]):
        _STREAMED[item["type"]](frame, {"item_id": item["id"], "output_index": index}, item)
    frame("completed", "response.completed", response=body)
    return frames


def _reasoning(frame, at, item):
    text = item["summary"][0]["text"]
    part = at | {"summary_index": 0}
    frame("reasoning_added", "response.output_item.added", output_index=at["output_index"], item=item | {"summary": []})
    frame("reasoning_part_added", "response.reasoning_summary_part.added", **part, part={"type": "summary_text", "text": ""})
    for piece in pieces(text):
        frame("reasoning", "response.reasoning_summary_text.delta", **part, delta=piece)
    frame("reasoning_text_done", "response.reasoning_summary_text.done", **part, text=text)
    frame("reasoning_part_done", "response.reasoning_summary_part.done", **part, part=item["summary"][0])
    frame("reasoning_done", "response.output_item.done", output_index=at["output_index"], item=item)


def _message(frame, at, item):
    part = at | {"content_index": 0}
    text = item["content"][0]["text"]
    begun = item | {"status": "in_progress", "content": []}
    frame("message_added", "response.output_item.added", output_index=at["output_index"], item=begun)
    frame("part_added", "response.content_part.added", **part, part=item["content"][0] | {"text": ""})
    for piece in pieces(text):
        frame("text", "response.output_text.delta", **part, delta=piece, logprobs=[])
    frame("text_done", "response.output_text.done", **part, text=text, logprobs=[])
    frame("part_done", "response.content_part.done", **part, part=item["content"][0])
    frame("message_done", "response.output_item.done", output_index=at["output_index"], item=item)


def _call(frame, at, item):
    begun = item | {"status": "in_progress", "arguments": ""}
    frame("call_added", "response.output_item.added", output_index=at["output_index"], item=begun)
    for piece in [item["arguments"][:9], item["arguments"][9:]]:
        frame("args", "response.function_call_arguments.delta", **at, delta=piece)
    frame("args_done", "response.function_call_arguments.done", **at, name=item["name"], arguments=item["arguments"])
    frame("call_done", "response.output_item.done", output_index=at["output_index"], item=item)


_STREAMED = {"reasoning": _reasoning, "message": _message, "function_call": _call}


def responses_whole(turn, finish=None):
    output = []
    if turn.get("reasoning"):
        output.append({"id": "rs_1", "type": "reasoning", "summary": [{"type": "summary_text", "text": turn["reasoning"]}]})
    if turn.get("text"):
        content = [{"type": "output_text", "text": turn["text"], "annotations": [], "logprobs": []}]
        output.append({"id": "msg_1", "type": "message", "role": "assistant", "status": "completed", "content": content})
    for number, call in enumerate(turn.get("calls", []), 1):
        output.append({"id": f"fc_{number}", "type": "function_call", "call_id": call["id"], "name": call["name"],
                       "arguments": json.dumps(call["arguments"], ensure_ascii=False), "status": "completed"})
    usage = {"input_tokens": 11, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 7,
             "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 18}
    return {"id": "resp_1", "object": "response", "created_at": 1, "status": "completed", "error": None,
            "incomplete_details": None, "instructions": None, "metadata": {}, "model": MODEL, "output": output,
            "parallel_tool_calls": True, "temperature": 1.0, "tool_choice": "auto", "tools": [], "top_p": 1.0, "usage": usage}


STREAM = {"chat": chat_stream, "messages": messages_stream, "responses": responses_stream}
WHOLE = {"chat": chat_whole, "messages": messages_whole, "responses": responses_whole}


def encode(frames, framing=()):
    """The bytes of each frame; `framing` says in which ways the lines are unusual."""
    end = "\r\n" if "crlf" in framing else "\r" if "cr" in framing else "\n"
    space = "" if "no_space" in framing else " "
    for frame in frames:
        data = frame.data if isinstance(frame.data, str) else json.dumps(frame.data, ensure_ascii=False)
        lines = [f": ping{end}"] if "comments" in framing else []
        if frame.event and "no_event_names" not in framing:
            lines.append(f"event:{space}{frame.event}")
        yield (end.join([*lines, f"data:{space}{data}", "", ""])).encode()
