"""vLLM's own classes, with torch as a stub: registration, the pair, the unified parser, sixty streams."""

from __future__ import annotations

import importlib.util
import sys
from typing import Any

import pytest
from streams import TOOLS, Stream, begun, content, finished, runnable, streams
from stubs import stub

if importlib.util.find_spec("vllm") is None:
    pytest.skip("vLLM is not installed", allow_module_level=True)
if importlib.util.find_spec("torch") is None:
    stub("torch", "triton", "torchvision", "torchaudio")

from vllm.entrypoints.openai.chat_completion.protocol import ChatCompletionRequest
from vllm.parser import ParserManager
from vllm.reasoning import ReasoningParserManager
from vllm.tool_parsers.abstract_tool_parser import ToolParserManager

import toolglot.vllm

try:
    from vllm.entrypoints.openai.chat_completion.stream_processor import ChatStreamProcessor
except ImportError:

    class ChatStreamProcessor:  # type: ignore[no-redef]
        """What the server of vLLM 0.32 does with each piece, in the middle of a longer function there."""

        def __init__(self, request: Any, parser: Any, **_: Any) -> None:
            self.request, self.parser, self.called = request, parser, False

        def step(self, text: str, ids: list[int], reason: str | None, prompt: list[int]) -> tuple[Any, str | None]:
            delta = self.parser.parse_delta(text, ids, self.request, prompt, finished=reason is not None)
            self.called |= bool(delta and delta.tool_calls)
            return delta, "tool_calls" if self.called and reason == "stop" else reason


class Tokenizer:
    """Characters, and special tokens."""

    specials = ("<tool_call>", "</tool_call>", "<think>", "</think>", "<|im_end|>")

    def get_vocab(self) -> dict[str, int]:
        return {token: 200_000 + at for at, token in enumerate(self.specials)} | {chr(at): at for at in range(256)}

    def encode(self, text: str, **_: Any) -> list[int]:
        ids, at, vocab = [], 0, self.get_vocab()
        while at < len(text):
            token = next((token for token in self.specials if text.startswith(token, at)), text[at])
            ids.append(vocab.get(token, ord(text[at])))
            at += len(token)
        return ids

    def decode(self, ids: Any, **_: Any) -> str:
        ids = [ids] if isinstance(ids, int) else ids
        return "".join(self.specials[token - 200_000] if token >= 200_000 else chr(token) for token in ids)

    def convert_ids_to_tokens(self, ids: list[int], **_: Any) -> list[str]:
        return [self.decode(token) for token in ids]


@pytest.fixture(autouse=True, scope="module")
def registered() -> None:
    toolglot.vllm.register()
    toolglot.vllm.register()


def request(**more: Any) -> Any:
    given = {"model": "m", "messages": [{"role": "user", "content": "x"}], "tools": TOOLS, "tool_choice": "auto", "stream": True}
    return ChatCompletionRequest(**{**given, **more})


def parser_class(tool: str | None, reasoning: str | None) -> Any:
    return ParserManager.get_parser(
        tool_parser_name=tool, reasoning_parser_name=reasoning, enable_auto_tools=True, model_name="m"
    )


def served(stream: Stream, tool: str | None, reasoning: str | None, unify: bool = True, **asked: Any) -> Any:
    """Sends a stream through what serves it; returns content, reasoning, calls and why it ended."""
    original = ParserManager.__dict__["_compose_parser"]
    kind = parser_class(tool, reasoning) if unify else pair(tool, reasoning)
    assert ParserManager.__dict__["_compose_parser"] is original
    asked_for = request(**asked)
    tokenizer = Tokenizer()
    parser = kind(tokenizer, asked_for.tools)
    parser.adjust_request(asked_for)
    processor = ChatStreamProcessor(asked_for, parser, enable_auto_tools=True, parser_cls=kind)
    text, thought, calls, reason = "", "", {}, None
    # An engine sends whole tokens; as many at a time as the stream's pieces have characters.
    ids, at = tokenizer.encode(stream.text), 0
    for number, piece in enumerate(stream.pieces):
        last = number + 1 == len(stream.pieces)
        some = ids[at:] if last else ids[at : at + len(piece)]
        at += len(some)
        delta, ended = processor.step(tokenizer.decode(some), some, "stop" if last else None, tokenizer.encode("Hi\n"))
        reason = ended or reason
        if delta is None:
            continue
        text += delta.content or ""
        thought += delta.reasoning or ""
        for call in delta.tool_calls or []:
            name, arguments = calls.get(call.index, ("", ""))
            calls[call.index] = (name + (call.function.name or ""), arguments + (call.function.arguments or ""))
    return text, thought, list(calls.values()), reason


def pair(tool: str | None, reasoning: str | None) -> Any:
    from vllm.parser.abstract_parser import DelegatingParser

    members = {
        "tool_parser_cls": ToolParserManager.get_tool_parser(tool) if tool else None,
        "reasoning_parser_cls": ReasoningParserManager.get_reasoning_parser(reasoning) if reasoning else None,
    }
    return type("Pair", (DelegatingParser,), members)


def test_every_dialect_is_registered_and_hosts_own_parsers_stay() -> None:
    names = ToolParserManager.list_registered()
    assert {"toolglot", "toolglot_hermes", "hermes"} <= set(names)
    assert {"toolglot", "toolglot_qwen3_coder"} <= set(ReasoningParserManager.list_registered())
    assert parser_class("hermes", None).__name__ != "ToolglotParser"
    assert parser_class("toolglot", "toolglot").__name__ == "ToolglotParser"
    assert parser_class(None, None) is None


def test_a_dialect_file_by_path(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('call = "<run>{call}</run>"')
    monkeypatch.setattr(sys, "argv", ["vllm", "serve", "m", "--tool-call-parser", str(path)])
    toolglot.vllm.register()
    text = '<run>{"name": "ping", "arguments": {}}</run>'
    stream = Stream("mine", "mine", text, tuple(text))
    assert served(stream, str(path), None)[2] == [("ping", "{}")]


@pytest.mark.parametrize("stream", streams(), ids=lambda stream: stream.name)
@pytest.mark.parametrize("unify", [True, False], ids=["unified", "pair"])
@pytest.mark.parametrize("pinned", [True, False], ids=["pinned", "auto"])
def test_streams_are_as_parse_says(stream: Stream, unify: bool, pinned: bool) -> None:
    name = f"toolglot_{stream.dialect}" if pinned else "toolglot"
    text, _, calls, reason = served(stream, name, None, unify)
    assert calls == begun(stream)
    assert runnable(calls) == finished(stream)
    assert text == content(stream)
    assert reason == ("tool_calls" if calls else "stop")


@pytest.mark.parametrize("stream", streams(), ids=lambda stream: stream.name)
def test_whole_texts_are_as_parse_says(stream: Stream) -> None:
    for kind in (parser_class(f"toolglot_{stream.dialect}", None), pair(f"toolglot_{stream.dialect}", None)):
        parser = kind(Tokenizer(), request().tools)
        _, _, calls = parser.parse(stream.text, request(stream=False), enable_auto_tools=True)
        assert [(call.name, call.arguments) for call in calls or []] == finished(stream)


THOUGHT = '<think>I should ping.</think>Pinging.<tool_call>{"name": "ping", "arguments": {}}</tool_call>'


@pytest.mark.parametrize("unify", [True, False], ids=["unified", "pair"])
@pytest.mark.parametrize("size", [1, 3, 500])
def test_reasoning_and_calls(unify: bool, size: int) -> None:
    pieces = tuple(THOUGHT[at : at + size] for at in range(0, len(THOUGHT), size))
    said = served(Stream("t", "hermes", THOUGHT, pieces), "toolglot_hermes", "toolglot_hermes", unify)
    assert said == ("Pinging.", "I should ping.", [("ping", "{}")], "tool_calls")


def test_a_call_in_reasoning_that_never_ends_is_found() -> None:
    text = '<think>I ping. <tool_call>{"name": "ping", "arguments": {}}</tool_call>'
    _, thought, calls, reason = served(Stream("t", "hermes", text, tuple(text)), "toolglot", "toolglot")
    assert (thought.strip(), calls, reason) == ("I ping.", [("ping", "{}")], "tool_calls")


def test_without_tools_nothing_is_called() -> None:
    stream = streams()[0]
    text, _, calls, reason = served(stream, "toolglot", None, tools=None, tool_choice="none")
    assert not calls and reason == "stop" and text


def test_what_has_no_value_is_not_sent() -> None:
    text = 'Hi.<tool_call>{"name": "write_file", "arguments": {"path": "a.txt", "content": "one two three"}}</tool_call>'
    asked = request()
    parser = parser_class("toolglot", None)(Tokenizer(), asked.tools)
    deltas = [parser.parse_delta(piece, [], asked, [1], finished=False) for piece in text]
    sent = [delta.model_dump(exclude_unset=True) for delta in deltas if delta]
    assert all(len(one) == 1 for one in sent) and "".join(one.get("content", "") for one in sent) == "Hi."
    (begun,), *rest = [one["tool_calls"] for one in sent if "tool_calls" in one]
    assert begun.keys() == {"index", "id", "type", "function"} and begun["function"]["name"] == "write_file"
    assert rest and all(one.keys() == {"index", "function"} and one["function"].keys() == {"arguments"} for (one,) in rest)


def test_a_marker_that_was_spelled_is_text() -> None:
    # The opener comes in as the characters of it, not as the special token.
    kind, tokenizer, asked = parser_class("toolglot_hermes", None), Tokenizer(), request()
    parser = kind(tokenizer, asked.tools)
    parser.adjust_request(asked)
    text = '<tool_call>{"name": "ping", "arguments": {}}</tool_call>'
    spelled = parser.parse_delta(text, [ord(c) for c in text], asked, None, finished=True)
    assert spelled.content == text and not spelled.tool_calls
    real = parser.parse_delta(text, tokenizer.encode(text), asked, None, finished=True)
    assert [call.function.name for call in real.tool_calls] == ["ping"]


def test_reasoning_that_the_prompt_opened() -> None:
    kind, tokenizer, asked = parser_class("toolglot_hermes", "toolglot_hermes"), Tokenizer(), request()
    parser = kind(tokenizer, asked.tools)
    prompt = tokenizer.encode("user: hi\nassistant: <think>\n")
    said = parser.parse_delta("So.</think>Hi.", tokenizer.encode("So.</think>Hi."), asked, prompt, finished=True)
    assert (said.reasoning, said.content) == ("So.", "Hi.")
    reasoning = ReasoningParserManager.get_reasoning_parser("toolglot")(tokenizer)
    assert not reasoning.is_reasoning_end(prompt)
    assert reasoning.is_reasoning_end(tokenizer.encode("<think>\n\n</think>\n\n"))
    assert reasoning.extract_content_ids(tokenizer.encode("x</think>ab")) == [ord("a"), ord("b")]


@pytest.mark.parametrize("junk", ["", "<tool_call>", "\ufffd", "[", "{}{}{}", "<think>" * 50, "\x00", "\ud800"])
def test_nothing_raises(junk: str) -> None:
    for name in ("toolglot", "toolglot_kimi_k2"):
        served(Stream("j", "hermes", junk, (junk, junk)), name, name)
        served(Stream("j", "hermes", junk, (junk, junk)), name, name, unify=False)
