"""Transformers and TRL: `tokenizer.parse_response` in every dialect, `toolglot.transformers.use(tokenizer)`.

TRL's trainers call the same method, so `use` is all they need. Arguments are dicts, as both libraries expect.
"""

from __future__ import annotations

import types
from typing import TYPE_CHECKING, Any, TypeVar

from ._host import content_of, opens_reasoning, whole
from ._settings import DialectLike, Options, spelled_out

if TYPE_CHECKING:
    from typing_extensions import Unpack

Tokenizer = TypeVar("Tokenizer")


@spelled_out
def use(tokenizer: Tokenizer, dialect: DialectLike = None, **options: Unpack[Options]) -> Tokenizer:
    """Makes a tokenizer's `parse_response` use toolglot; returns the tokenizer."""

    def parse_response(
        self: Any, response: Any, schema: Any = None, *, prefix: Any = None, tools: Any = None
    ) -> dict[str, Any] | list[dict[str, Any]]:
        texts, batched = _texts(self, response)
        prefixes = _prefixes(self, prefix, len(texts))
        found = [
            _message(text, tools, dialect, {**options, "reasoning_open": opens_reasoning(before, dialect)})
            for text, before in zip(texts, prefixes, strict=True)
        ]
        return found if batched else found[0]

    tokenizer.parse_response = types.MethodType(parse_response, tokenizer)  # type: ignore[attr-defined]
    # Both libraries check for a template before they call the method.
    tokenizer.response_template = {"toolglot": True}  # type: ignore[attr-defined]
    return tokenizer


def _texts(tokenizer: Any, response: Any) -> tuple[list[str], bool]:
    if isinstance(response, str):
        return [response], False
    if isinstance(response, (list, tuple)) and (not response or isinstance(response[0], str)):
        return list(response), True
    decoded = tokenizer.decode(response, skip_special_tokens=False)
    return ([decoded], False) if isinstance(decoded, str) else (list(decoded), True)


def _prefixes(tokenizer: Any, prefix: Any, count: int) -> list[str]:
    if prefix is None or (isinstance(prefix, (list, tuple)) and not prefix):
        return [""] * count
    texts, _ = _texts(tokenizer, prefix)
    return texts * count if len(texts) == 1 else texts


def _message(text: str, tools: Any, dialect: DialectLike, options: dict[str, Any]) -> dict[str, Any]:
    message = whole(text, tools, dialect, **options)
    found: dict[str, Any] = {"role": "assistant", "content": content_of(message)}
    if message.reasoning:
        found["reasoning_content"] = message.reasoning
    if message.calls:
        found["tool_calls"] = [
            {"type": "function", "function": {"name": call.name, "arguments": call.args}} for call in message.calls
        ]
    return found
