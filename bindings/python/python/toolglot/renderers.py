"""renderers (verifiers, prime-rl): `tool_parser="toolglot"`, with the status and the tokens of each call."""

from __future__ import annotations

import json
from typing import Any

from renderers.base import ParsedToolCall, ToolCallParseStatus
from renderers.parsers import TOOL_PARSERS

from ._host import dialect_of, parser_names
from .spans import CallSpan, calls, texts_of, token_spans


class ToolglotToolParser:
    """Finds calls in the tokens of a completion."""

    dialect: Any = None

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer

    def extract(self, token_ids: list[int]) -> tuple[list[int], list[ParsedToolCall]]:
        """Returns the tokens outside calls, and one record for each call, complete or not."""
        text = self._tokenizer.decode(token_ids, skip_special_tokens=False)
        found = calls(text, dialect=self.dialect)
        tokens = texts_of(self._tokenizer, token_ids)
        places = token_spans(found, tokens) if tokens else [None] * len(found)
        inside = {at for place in places if place for at in range(*place)}
        content = [token for at, token in enumerate(token_ids) if at not in inside]
        return content, [_parsed(call, text, place) for call, place in zip(found, places, strict=True)]


def _parsed(call: CallSpan, text: str, place: tuple[int, int] | None) -> ParsedToolCall:
    statuses = {"truncated": ToolCallParseStatus.UNCLOSED_BLOCK, "broken": ToolCallParseStatus.INVALID_JSON}
    return ParsedToolCall(
        raw=text[call.start : call.end],
        name=call.name,
        arguments=json.loads(call.arguments) if call.finished else call.arguments,
        token_span=place,
        status=statuses.get(call.outcome, ToolCallParseStatus.OK),
        id=call.id,
    )


for _name in parser_names():
    TOOL_PARSERS[_name] = type(f"Toolglot_{_name}", (ToolglotToolParser,), {"dialect": dialect_of(_name)})
