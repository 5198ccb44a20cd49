"""The cost of the package and its alternatives, in one run: `python bindings/python/bench.py [ROWS]`.

Each number is the best of several rounds, since the machine does other work. The host's parser is vLLM's, where it is
installed; torch is then a stub. With `TOOLGLOT_CORE`, the program that `cargo build --release --example core` makes here,
the tables also show the core alone.
"""

from __future__ import annotations

import importlib.util
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import toolglot

sys.path.insert(0, str(Path(__file__).parent / "tests"))

TOOLS = [{"type": "function", "function": {"name": "write_file", "parameters": {"type": "object", "properties": {
    "path": {"type": "string"}, "content": {"type": "string"}}}}}]


def best(run: Callable[[], Any], rounds: int = 7, clock: Callable[[], float] = time.process_time) -> float:
    """Returns the seconds of the fastest round, of the processor's time unless another clock is asked for."""
    found = []
    for _ in range(rounds):
        began = clock()
        run()
        found.append(clock() - began)
    return min(found)


def call(size: int) -> str:
    """A call of Hermes' dialect whose arguments have about `size` bytes."""
    line = "for item in items:\n    print(item)  # so that there is something to escape: \"x\"\n"
    content = (line * (size // len(line) + 1))[:size]
    arguments = {"path": "a.py", "content": content}
    return f"<tool_call>\n{json.dumps({'name': 'write_file', 'arguments': arguments})}\n</tool_call>"


def tokens(text: str) -> list[str]:
    return [text[at : at + 4] for at in range(0, len(text), 4)]


def push(pieces: list[str]) -> None:
    parser = toolglot.Parser(tools=COMPILED, dialect="hermes", collect=False)
    for piece in pieces:
        parser.push(piece)
    parser.finish()


COMPILED = toolglot.Tools(TOOLS)


def core(text: str, *, rows: int = 0, streams: int = 0) -> float | None:
    """Returns the seconds that the core alone takes to read a text as a row, or as a stream of tokens."""
    program = os.environ.get("TOOLGLOT_CORE")
    if not program:
        return None
    with tempfile.TemporaryDirectory() as folder:
        at, tools = Path(folder, "text"), Path(folder, "tools")
        at.write_text(text)
        tools.write_text(json.dumps(TOOLS))

        def spent(*times: int) -> float:
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([program, at, tools, "hermes", *map(str, times)], check=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

        return min(spent(rows, streams) - spent(0, 0) for _ in range(3)) / max(rows, streams)


def streaming() -> None:
    print("| a call streamed in tokens of 4 bytes | per token | relative to 1 KB | the core alone |\n|---|---|---|---|")
    first = None
    for size in (1_000, 10_000, 100_000, 1_000_000):
        pieces = tokens(call(size))
        cost = best(lambda pieces=pieces: push(pieces), 9 if size < 1_000_000 else 5) / len(pieces)  # type: ignore[misc]
        first = first or cost
        alone = core(call(size), streams=10_000_000 // size)
        beside = f"{alone / len(pieces) * 1e6:.2f} µs" if alone else "–"
        print(f"| {size // 1000} KB | {cost * 1e6:.2f} µs | {cost / first:.2f} × | {beside} |")
    nothing = best(lambda: [toolglot.Text("abcd", 0, 4) for _ in range(10_000)]) / 10_000
    print(f"\nCreating one event in Python alone: {nothing * 1e6:.2f} µs.\n")


def host() -> None:
    if importlib.util.find_spec("vllm") is None:
        return
    from stubs import stub

    if importlib.util.find_spec("torch") is None:
        stub("torch", "triton", "torchvision", "torchaudio")
    from test_vllm import Tokenizer, parser_class, request
    import toolglot.vllm

    toolglot.vllm.register()
    tokenizer, asked = Tokenizer(), request(tools=TOOLS)

    def served(name: str, pieces: list[str]) -> None:
        parser = parser_class(name, None)(tokenizer, asked.tools)
        for at, piece in enumerate(pieces):
            ids = [ord(character) for character in piece]
            parser.parse_delta(piece, ids, asked, [1] if at == 0 else None, finished=at + 1 == len(pieces))

    print("| through vLLM's serving classes | `hermes` | `toolglot` | ratio |\n|---|---|---|---|")
    for size in (1_000, 10_000, 100_000):
        pieces = tokens(call(size))
        theirs, ours = (best(lambda name=name: served(name, pieces), 1 if size > 50_000 else 3) / len(pieces) for name in ("hermes", "toolglot"))  # type: ignore[misc]
        print(f"| {size // 1000} KB, per token | {theirs * 1e6:.1f} µs | {ours * 1e6:.1f} µs | {theirs / ours:.1f} × |")
    print()


    from streams import streams

    def right(name: str, stream: Any) -> bool:
        parser = parser_class(name, None)(tokenizer, request().tools)
        _, _, calls = parser.parse(stream.text, request(stream=False), enable_auto_tools=True)
        try:
            return [(c.name, json.loads(c.arguments)) for c in calls or []] == [(n, json.loads(a)) for n, a in stream.calls]
        except ValueError:
            return False

    print("| whole answers read as the model meant | vLLM's own parser | `toolglot` |\n|---|---|---|")
    for dialect in ("hermes", "qwen3_coder", "kimi_k2"):
        for kind in ("right", "broken"):
            some = [one for one in streams() if one.dialect == dialect and one.name.endswith(kind)]
            theirs, ours = (sum(right(name, one) for one in some) for name in (dialect, "toolglot"))
            print(f"| {dialect}, {kind} | {theirs} of {len(some)} | {ours} of {len(some)} |")
    print()


def columns(rows: int) -> None:
    if importlib.util.find_spec("pyarrow") is None:
        return
    import pyarrow as pa

    text = "Let me write it.\n" + call(400)
    texts = pa.array([text] * rows)
    few = [text] * min(rows, 20_000)
    alone = core(text, rows=rows)
    one = best(lambda: toolglot.parse_array(texts, tools=COMPILED, threads=1), 3) / rows
    two = best(lambda: toolglot.parse_array(texts, tools=COMPILED, threads=2), 3, time.perf_counter) / rows
    each = best(lambda: [toolglot.parse(text, tools=COMPILED) for text in few], 3) / len(few)
    print(f"| {rows:,} answers of {len(text)} bytes | rows per second | relative to `parse` |\n|---|---|---|")
    if alone:
        print(f"| the core, one thread | {1 / alone:,.0f} | {each / alone:.1f} × |")
    print(f"| `parse`, one by one | {1 / each:,.0f} | 1.0 × |")
    print(f"| `parse_array`, one thread | {1 / one:,.0f} | {each / one:.1f} × |")
    print(f"| `parse_array`, two threads | {1 / two:,.0f} | {each / two:.1f} × |")
    large = pa.array([call(10_000_000)] * 5)
    print(f"\nRows of 10 MB: {best(lambda: toolglot.parse_array(large, threads=1), 1) / 5 * 1e3:.0f} ms each.\n")


if __name__ == "__main__":
    streaming()
    host()
    columns(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
