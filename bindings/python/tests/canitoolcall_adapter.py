"""toolglot as an engine of the neutral suite CanIToolCall: its contract is `canitoolcall.adapters.base.Adapter`.

The suite's fixtures hold token ids, which only the model's tokenizer turns into text. toolglot reads text, so a unit is here
a marker of the model's dialect, a word with the blank before it, or another character; all groups of units are text again.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import lru_cache
from importlib.metadata import version
from typing import Any, ClassVar

from canitoolcall.adapters.base import Adapter, ReplayInput, Support, ToolSpec
from canitoolcall.chunking import TokensPerStep
from canitoolcall.results import ParseResult, StreamAccumulator

import toolglot

# What a prompt ends with that leaves the answer inside the reasoning.
OPENERS = ("<think>", "[THINK]", "<|open|>think<|sep|>")


@lru_cache
def dialects(model: str) -> tuple[str, ...]:
    """Returns the dialects of a model by its name; all of them where the name says nothing."""
    return tuple(verdict.dialect for verdict in toolglot.detect(model=model)) or ("auto",)


@lru_cache
def pieces(text: str, model: str) -> tuple[str, ...]:
    names = [name for name in dialects(model) if name != "auto"]
    markers = {token for name in names for token in toolglot.Dialects(name)[0].special}
    longest = sorted(map(re.escape, markers), key=len, reverse=True)
    return tuple(re.findall("|".join([*longest, r" ?\w+", r"\s+|."]), text, re.DOTALL))


class ToolglotAdapter(Adapter):
    name: ClassVar[str] = "toolglot"
    pinned_version: ClassVar[str] = version("toolglot")
    tokens_per_step: ClassVar[TokensPerStep] = "many"
    supports_text_deltas: ClassVar[bool] = True

    def version(self) -> str:
        return version("toolglot")

    def supports(self, family: str, model: str) -> Support:
        return Support(True)

    def parser_config(self, raw: ReplayInput) -> dict[str, Any]:
        prompt = (raw.generation_prompt or "").rstrip()
        return {"dialect": list(dialects(raw.model)), "reasoning_open": prompt.endswith(OPENERS)}

    def units(self, raw: ReplayInput) -> list[int]:
        return list(range(len(pieces(raw.text, raw.model))))

    def special_token_ids(self, raw: ReplayInput) -> Collection[int]:
        return {at for at, piece in enumerate(pieces(raw.text, raw.model)) if piece.startswith(("<", "[")) and piece[1:]}

    def parse(self, raw: ReplayInput, tools: Sequence[ToolSpec]) -> ParseResult:
        return self.parse_stream_text(raw, [raw.text], tools)

    def parse_stream(
        self, raw: ReplayInput, chunks: Sequence[Sequence[int]], tools: Sequence[ToolSpec]
    ) -> ParseResult:
        all_pieces = pieces(raw.text, raw.model)
        return self.parse_stream_text(raw, ["".join(all_pieces[unit] for unit in chunk) for chunk in chunks], tools)

    def parse_stream_text(self, raw: ReplayInput, deltas: Sequence[str], tools: Sequence[ToolSpec]) -> ParseResult:
        parser = toolglot.Parser(tools=list(tools), collect=False, **self.parser_config(raw))
        events = [event for delta in deltas for event in parser.push(delta)]
        events += parser.finish("length" if raw.truncated else "stop")
        ends = [event for event in events if isinstance(event, toolglot.CallEnd)]
        # A client runs no other calls: the proxy and the handlers of hosts do not pass them on as calls.
        finished = {end.index for end in ends if end.outcome in ("complete", "repaired")}
        found = StreamAccumulator()
        for event in events:
            match event:
                case toolglot.Text(text):
                    found.add_content(text)
                case toolglot.Reasoning(text):
                    found.add_reasoning(text)
                case toolglot.CallStart(index, _, name) if index in finished:
                    found.add_tool_call(index, name)
                case toolglot.Arguments(index, json) if index in finished:
                    found.add_tool_call(index, None, json)
        return found.result()
