"""What each host's own parser makes of sixty streams, beside toolglot in its place: `python bindings/python/compare.py`.

Run it in the environment of a host; it prints the rows of the hosts that are installed. Both are called as the host
calls them, in one run. A call is right if its name and its arguments are what the model meant. An answer that was cut off
is right if no finished call of it is wrong; all others, if all calls are right and there are no more.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import functools
import importlib
import importlib.metadata
import importlib.util
import json
import logging
import re
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import toolglot

sys.path.insert(0, str(Path(__file__).parent / "tests"))

from streams import TOOLS, Stream, streams

Calls = list[tuple[str, Any]]
Read = Callable[[Stream], Calls]
#: A dialect, the name of the host's own parser for it, that parser, toolglot in its place.
Row = tuple[str, str, Read, Read]

KINDS = ("right", "broken", "cut", "split")


def installed(name: str) -> bool:
    return importlib.util.find_spec(name) is not None


def vllm() -> Iterator[Row]:
    import test_vllm as host

    import toolglot.vllm

    toolglot.vllm.register()
    # The stand-in for a tokenizer is slow; what it costs is not the parsers'.
    host.Tokenizer.encode = staticmethod(functools.lru_cache(maxsize=None)(host.Tokenizer().encode))  # type: ignore[assignment]
    for dialect in ("hermes", "qwen3_coder", "kimi_k2"):
        yield (
            dialect,
            dialect,
            lambda stream, dialect=dialect: host.served(stream, dialect, None)[2],  # type: ignore[misc]
            lambda stream: host.served(stream, "toolglot", None)[2],
        )


def sglang() -> Iterator[Row]:
    import test_sglang as host

    import toolglot.sglang

    toolglot.sglang.register()
    for dialect in ("hermes", "qwen3_coder", "kimi_k2"):
        yield (
            dialect,
            dialect,
            lambda stream, dialect=dialect: host.served(stream, dialect)[1],  # type: ignore[misc]
            lambda stream: host.served(stream, "toolglot")[1],
        )


def mlx_lm() -> Iterator[Row]:
    generate = importlib.import_module("mlx_lm.generate")
    own = generate.make_text_state_machine
    import test_mlx_lm as host

    formatter = host.server.ToolCallFormatter

    def reads(parser: Any) -> Read:
        class Tokenizer:
            has_thinking, has_tool_calling, structural_markers, response_transitions = False, True, (), {}  # type: ignore[var-annotated]
            tool_call_start, tool_call_end = parser.tool_call_start, parser.tool_call_end

        def read(stream: Stream) -> Calls:
            machine = generate.TextStateMachine
            state = own(Tokenizer, ["<|stop|>"]).make_state("normal")
            segments = []
            for piece in stream.pieces:
                state, some = machine.split(state, piece)
                segments += some
            state, rest, current = machine.flush(state)
            raws, before = [], "normal"
            for current, part in [*segments, (current, rest)]:
                if current == "tool":
                    raws = [*raws, part] if before != "tool" else [*raws[:-1], raws[-1] + part]
                before = current
            made = formatter(parser.parse_tool_call, TOOLS, True)(raws)
            return [(call["function"]["name"], call["function"]["arguments"]) for call in made]

        return read

    for dialect, name in (("hermes", "json_tools"), ("qwen3_coder", "qwen3_coder"), ("kimi_k2", "kimi_k2")):
        module = importlib.import_module(f"mlx_lm.tool_parsers.{name}")
        yield dialect, name, reads(module), lambda stream: host.served(stream)[2]


def verl() -> Iterator[Row]:
    import test_training as training

    import toolglot.verl

    host = importlib.import_module("verl.experimental.agent_loop.tool_parser")
    tools = [host.OpenAIFunctionToolSchema(**training._described(tool)) for tool in TOOLS]

    def reads(name: str) -> Read:
        def read(stream: Stream) -> Calls:
            parser = host.ToolParser.get_tool_parser(name, training.Tokenizer())
            _, calls = loop.run_until_complete(parser.extract_tool_calls(training.ids(stream.text), tools))
            return [(call.name, call.arguments) for call in calls]

        return read

    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    for dialect in ("hermes", "qwen3_coder"):
        yield dialect, dialect, reads(dialect), reads("toolglot")


def transformers() -> Iterator[Row]:
    import test_training as training
    import toolglot.transformers
    from transformers.utils.chat_parsing import response_parser

    templates = importlib.import_module("trl.chat_template_utils")

    def reads(template: Any) -> Read:
        def read(stream: Stream) -> Calls:
            try:
                message = response_parser.parse_response(stream.text, template, prefix="", tools=TOOLS)
            except (ValueError, TypeError):  # TRL takes such an answer for text.
                return []
            return [(call["function"]["name"], call["function"]["arguments"]) for call in message.get("tool_calls", [])]

        return read

    ours: Any = toolglot.transformers.use(training.Tokenizer())

    def read(stream: Stream) -> Calls:
        message = ours.parse_response(training.ids(stream.text), prefix="", tools=TOOLS)
        return [(call["function"]["name"], call["function"]["arguments"]) for call in message.get("tool_calls", [])]

    for dialect, name in (("hermes", "qwen3_template"), ("qwen3_coder", "qwen3_5_template")):
        yield dialect, name, reads(getattr(templates, name)), read


def renderers() -> Iterator[Row]:
    from renderers.parsers import TOOL_PARSERS

    import toolglot.renderers

    specials = ("<tool_call>", "</tool_call>", "<think>", "</think>", "<|im_end|>")

    class Tokenizer:
        unk_token_id = None

        def convert_tokens_to_ids(self, token: str) -> int:
            return 2_000_000 + specials.index(token)

        def encode(self, text: str, **_: Any) -> list[int]:
            ids, at = [], 0
            while at < len(text):
                token = next((token for token in specials if text.startswith(token, at)), text[at])
                ids.append(self.convert_tokens_to_ids(token) if token in specials else ord(token))
                at += len(token)
            return ids

        def decode(self, ids: Any, **_: Any) -> str:
            ids = [ids] if isinstance(ids, int) else ids
            return "".join(specials[one - 2_000_000] if one >= 2_000_000 else chr(one) for one in ids)

    def reads(name: str) -> Read:
        def read(stream: Stream) -> Calls:
            tokenizer = Tokenizer()
            _, calls = TOOL_PARSERS[name](tokenizer).extract(tokenizer.encode(stream.text))
            return [(call.name, call.arguments) for call in calls if call.status.value == "ok"]

        return read

    for dialect, name in (("hermes", "qwen3"), ("qwen3_coder", "qwen3.5")):
        yield dialect, name, reads(name), reads("toolglot")


def bfcl() -> Iterator[Row]:
    from bfcl_eval.model_handler.local_inference.qwen_fc import QwenFCHandler

    import toolglot.bfcl

    def calls(found: list[dict[str, Any]]) -> Calls:
        return [(name, arguments) for call in found for name, arguments in call.items()]

    own, ours = QwenFCHandler.__new__(QwenFCHandler), toolglot.bfcl.handler(object)()
    yield (
        "hermes",
        "QwenFCHandler",
        lambda stream: calls(own.decode_ast(stream.text, None, False)),
        lambda stream: calls(ours.decode_ast(stream.text)),
    )


HOSTS = {
    "vllm": vllm,
    "sglang": sglang,
    "mlx_lm": mlx_lm,
    "verl": verl,
    "trl": transformers,
    "renderers": renderers,
    "bfcl_eval": bfcl,
}


def values(calls: Calls) -> list[tuple[str, Any]]:
    """Returns calls with their arguments as values; None for those whose JSON has not ended, which nobody can run."""
    found = []
    for name, arguments in calls:
        try:
            found.append((name, json.loads(arguments) if isinstance(arguments, str) else arguments))
        except ValueError:
            found.append((name, None))
    return found


def right(read: Read, stream: Stream) -> bool:
    try:
        found = values(read(stream))
    except Exception:
        return False
    meant = values(list(stream.calls))
    if stream.name.endswith("cut"):
        return len(found) <= len(meant) and all(f[1] is None or f == m for f, m in zip(found, meant, strict=False))
    return found == meant


def tokens(stream: Stream) -> Stream:
    """The same text in tokens, among which markers that are special tokens of the models stay whole, as in a server."""
    most = 0 if stream.name.endswith("split") else 3
    pieces = re.findall(rf"<\|[^|]*\|>|</?tool_call>|.[^<]{{0,{most}}}", stream.text, re.DOTALL)
    return dataclasses.replace(stream, pieces=tuple(pieces))


def long(dialect: str, size: int) -> Stream:
    """One call with an argument of many characters."""
    arguments = json.dumps({"path": "a.txt", "content": ("print(item)  # one more\n" * (size // 24 + 1))[:size]})
    call = {"name": "write_file", "arguments": arguments}
    text = toolglot.Renderer(dialect, tools=TOOLS).render({"content": "", "tool_calls": [call]})
    return tokens(Stream("long", dialect, text, (), (("write_file", arguments),)))


def cost(read: Read, stream: Stream) -> float:
    """Returns the CPU seconds for each piece of text, the best of three rounds."""
    found = []
    for _ in range(3):
        began = time.process_time()
        with contextlib.suppress(Exception):  # The answer is lost; what it cost is not.
            read(stream)
        found.append(time.process_time() - began)
    return min(found) / len(stream.pieces)


def main() -> None:
    logging.disable(logging.CRITICAL)
    kinds = " | ".join(KINDS)
    print(f"| host, its own parser | {kinds} | toolglot: {kinds} | own ÷ toolglot: 1 KB | 20 KB |\n|---|{'---|' * 10}")
    for package, rows in HOSTS.items():
        if not installed(package):
            continue
        version = importlib.metadata.version(package.replace("_", "-"))
        for dialect, name, own, ours in rows():
            some = [tokens(stream) for stream in streams() if stream.dialect == dialect]
            counts = [
                f"{sum(right(read, s) for s in some if s.name.endswith(kind))}/{sum(s.name.endswith(kind) for s in some)}"
                for read in (own, ours)
                for kind in KINDS
            ]
            times = []
            for size in (1_000, 20_000):
                theirs, here = (cost(read, long(dialect, size)) for read in (own, ours))
                times.append(f"{theirs * 1e6:.1f} µs ÷ {here * 1e6:.1f} µs = {theirs / here:.1f}")
            print(f"| {package} {version}, `{name}` | {' | '.join(counts)} | {' | '.join(times)} |", flush=True)


if __name__ == "__main__":
    main()
