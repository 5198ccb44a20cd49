"""Broken answers as data: each is the good answer of a protocol plus edits, and what a client must make of it.

A file PROTOCOL.toml has a table of variants for streams and one for whole bodies. Keys of a variant:

  what      what is broken, for the tables of the documentation
  edits     a list of edits of the good answer, see below
  framing   unusual lines: crlf, cr, no_space, comments, no_event_names, no_done, with_done,
            not_numbered; or `broken_off`: the
            connection breaks before the end
  calls     number of calls in the good answer, 1 if not given
  tool      the tool that is called, get_weather if not given; get_time takes no arguments
  text, reasoning   what is said before the calls
  usage     true: the stream has a chunk with the usage
  due       what a client must end up with: calls (default), error, or either
  due_text, due_calls   where they differ from the good answer

Edits of streams; WHERE is `*` or labels of frames with commas between, `head#2` is the second frame of that label:

  set WHERE PATH JSON     delete WHERE PATH     drop WHERE     keep_to WHERE (the rest is dropped)
  add WHERE JSON          a frame after that one            add_delta WHERE JSON   a chat chunk with that delta
  move WHERE WHERE        the first frame goes behind the second
  event WHERE NAME        the frame's event is called so

Edits of whole bodies are `set PATH JSON` and `delete PATH`.
"""
import copy
import json
import pathlib
import tomllib

from mock import wire

HERE = pathlib.Path(__file__).parent
CALLS = [{"name": "get_weather", "arguments": {"city": "Paris"}}, {"name": "get_weather", "arguments": {"city": "Rome"}}]
TIME = {"name": "get_time", "arguments": {}}
SHORT = {"chat": {"choice": "choices.0", "delta": "choices.0.delta", "call": "choices.0.delta.tool_calls.0",
                  "function": "choices.0.delta.tool_calls.0.function"}}
SHORT_WHOLE = {"chat": {"choice": "choices.0", "message": "choices.0.message", "call": "choices.0.message.tool_calls.0",
                        "function": "choices.0.message.tool_calls.0.function"}}


class Variant:
    """One answer, good or broken."""

    def __init__(self, protocol, name, kind, table):
        self.protocol, self.name, self.kind, self.table = protocol, name, kind, table
        self.what = table["what"]
        self.framing = table.get("framing", [])
        self.due = table.get("due", "calls")

    def turn(self):
        prefix = {"chat": "call", "messages": "toolu", "responses": "call"}[self.protocol]
        calls = [TIME] if self.table.get("tool") == "get_time" else CALLS[:self.table.get("calls", 1)]
        said = {key: self.table[key] for key in ("text", "reasoning") if self.table.get(key)}
        return said | {"calls": [{"id": f"{prefix}_good{n}", **call} for n, call in enumerate(calls)]}

    def expected(self):
        calls = [{"name": call["name"], "arguments": call["arguments"]} for call in self.turn()["calls"]]
        return {"due": self.due, "calls": self.table.get("due_calls", calls), "finish": "tool_calls",
                "text": self.table.get("due_text", self.table.get("text", ""))}

    def frames(self):
        more = {"usage": True} if self.table.get("usage") else {}
        frames = copy.deepcopy(wire.STREAM[self.protocol](self.turn(), **more))
        for edit in self.table.get("edits", []):
            _edit_stream(self.protocol, frames, edit)
        if "no_done" in self.framing:
            frames = [frame for frame in frames if frame.label != "done"]
        if "with_done" in self.framing:
            frames.append(wire.Frame("done", "[DONE]"))
        if self.protocol == "responses" and "not_numbered" not in self.framing:
            for number, frame in enumerate(frames):
                if isinstance(frame.data, dict):
                    frame.data["sequence_number"] = number
        return frames

    def stream(self):
        return list(wire.encode(self.frames(), self.framing))

    def body(self):
        body = copy.deepcopy(wire.WHOLE[self.protocol](self.turn()))
        for edit in self.table.get("edits", []):
            operation, path, *value = edit.split(" ", 2)
            _change(body, _long(SHORT_WHOLE.get(self.protocol, {}), path), *map(json.loads, value))
        return body


def _edit_stream(protocol, frames, edit):
    operation, where, *rest = edit.split(" ", 2)
    found = _find(frames, where)
    if operation == "drop":
        frames[:] = [frame for frame in frames if frame not in found]
    elif operation == "keep_to":
        del frames[_place(frames, found[-1]) + 1:]
    elif operation == "add":
        data = json.loads(rest[0])
        frames.insert(_place(frames, found[-1]) + 1, wire.Frame("added", data, data.get("type")))
    elif operation == "add_delta":
        for frame in found:
            frames.insert(_place(frames, frame) + 1, wire.Frame("added", wire.chat_chunk(json.loads(rest[0]))))
    elif operation == "move":
        frames.remove(found[0])
        frames.insert(_place(frames, _find(frames, rest[0])[0]) + 1, found[0])
    elif operation == "event":
        for frame in found:
            frame.event = rest[0]
    else:
        path, *value = rest[0].split(" ", 1) if operation == "set" else rest
        for frame in found:
            _change(frame.data, _long(SHORT.get(protocol, {}), path), *map(json.loads, value))


def _place(frames, wanted):
    return next(at for at, frame in enumerate(frames) if frame is wanted)


def _find(frames, where):
    if where == "*":
        return [frame for frame in frames if isinstance(frame.data, dict)]
    found = []
    for word in where.split(","):
        label, _, number = word.partition("#")
        labelled = [frame for frame in frames if frame.label == label]
        found += [labelled[int(number) - 1]] if number else labelled
    if not found:
        raise ValueError(f"no frame is called {where}")
    return found


def _long(short, path):
    first, dot, rest = path.partition(".")
    return short.get(first, first) + dot + rest


def _change(node, path, *value):
    """Sets what is at a path, or deletes it if no value is given."""
    *parents, key = path.split(".")
    for parent in parents:
        node = node[int(parent)] if isinstance(node, list) else node[parent]
    if value:
        node[key] = value[0]
    else:
        node.pop(key, None)


def load():
    """All variants: {(protocol, "stream" or "whole", name): Variant}, in the order of the files."""
    found = {}
    for protocol in wire.STREAM:
        tables = tomllib.loads((HERE / f"{protocol}.toml").read_text())
        for kind in ("stream", "whole"):
            for name, table in tables[kind].items():
                usual = tables.get("usual", {})
                found[protocol, kind, name] = Variant(protocol, name, kind, usual | table)
    return found
