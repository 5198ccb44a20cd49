"""mlx-lm's own text machine and formatter."""

from __future__ import annotations

import importlib
import json
from typing import Any

import pytest
from streams import TOOLS, Stream, finished, streams

pytest.importorskip("mlx_lm")

import toolglot.mlx_lm

server = importlib.import_module("mlx_lm.server")
generate = importlib.import_module("mlx_lm.generate")


def served(stream: Stream, reason: str = "length") -> tuple[str, str, list[tuple[str, Any]]]:
    """Does what the server does with each piece of text."""
    toolglot.mlx_lm.install(stream.dialect)
    state = server.make_text_state_machine(None, ["<|stop|>"]).make_state("normal")
    text, thought, raw, before, calls = "", "", "", "normal", []
    pieces = [*stream.pieces, ""]
    for at, piece in enumerate(pieces):
        segments: list[tuple[str, str]]
        if at + 1 < len(pieces):
            state, segments = generate.TextStateMachine.split(state, piece)
        elif reason == "stop":
            state, current = generate.TextStateMachine.discard(state)
            segments = [(current, "")]
        else:
            state, segments = generate.TextStateMachine.split(state, piece)
            state, rest, current = generate.TextStateMachine.flush(state)
            segments.append((current, rest))
        for current, part in segments:
            if current == "reasoning":
                thought += part
            elif current == "tool":
                raw += part
            else:
                if before == "tool":
                    calls.append(raw)
                    raw = ""
                text += part
            before = current
    if before == "tool" and raw:
        calls.append(raw)
    # As the server does, while the state is there.
    made = server.ToolCallFormatter(toolglot.mlx_lm.parse_tool_call, TOOLS, True)(calls)
    return text, thought, [(call["function"]["name"], json.loads(call["function"]["arguments"])) for call in made]


@pytest.mark.parametrize("stream", streams(), ids=lambda stream: stream.name)
@pytest.mark.parametrize("reason", ["stop", "length"])
def test_streams_are_as_parse_says(stream: Stream, reason: Any) -> None:
    wanted = [(name, json.loads(arguments)) for name, arguments in finished(stream, reason)]
    assert served(stream, reason)[2] == wanted


def test_reasoning_and_stop_words() -> None:
    text = "<think>Hm.</think>Hi.<|stop|>"
    assert served(Stream("t", "hermes", text, tuple(text)))[:2] == ("Hi.", "Hm.")


def test_mlx_lm_finds_the_parser() -> None:
    toolglot.mlx_lm.install()
    module = importlib.import_module("mlx_lm.tool_parsers.toolglot")
    with pytest.raises(ValueError, match="cut off"):
        module.parse_tool_call("call_of_nobody")
