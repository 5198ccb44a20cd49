"""Grammars: what holds a model to its dialect while it writes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from . import _native, _settings, _tools
from ._settings import DialectLike
from ._tools import ToolsLike


@dataclass(frozen=True, slots=True)
class Grammar:
    """A grammar, and what an engine takes beside it."""

    #: GBNF, Lark, or the text of a JSON value.
    text: str
    #: The members of a request body that carry it: for llama-server, vLLM, or an API with `response_format`.
    body: dict[str, Any]
    #: The text with which calls begin; None if prose may contain it.
    trigger: str | None
    #: The markers that are special tokens of the dialect's models, which an engine must not drop.
    preserved_tokens: tuple[str, ...]
    #: What the grammar leaves out, and what an engine may stumble over.
    warnings: tuple[str, ...]


def grammar(
    dialect: DialectLike,
    tools: ToolsLike = None,
    *,
    form: Literal["gbnf", "lark", "structural-tag", "json-schema"] = "gbnf",
    tool_choice: str | Mapping[str, Any] = "auto",
    parallel: bool = True,
    arguments: Literal["free", "schema"] = "schema",
    reasoning: Literal["none", "optional", "prefilled"] = "optional",
    content: bool = False,
    all_spellings: bool = False,
    strict: bool = False,
    answer: Mapping[str, Any] | bool | None = None,
    tokens: Sequence[str] | None = None,
    lazy: bool = False,
    openai: bool = False,
) -> Grammar:
    """Returns the grammar that holds a model to a dialect and its tools, for the engine that samples.

    >>> made = grammar("hermes", [{"name": "ls", "parameters": {"type": "object"}}], tool_choice="required")
    >>> made.text.startswith("root ::= "), made.trigger
    (True, '<tool_call>')

    Args:
        dialect: One dialect that the model writes: a name, or the path of a file.
        tools: The declared tools, in any shape that `parse` takes.
        form: `gbnf` for llama.cpp, `lark` for llguidance, `structural-tag` for xgrammar (vLLM, SGLang, TensorRT-LLM),
            `json-schema` for hosted APIs.
        tool_choice: `auto`, `required`, `none`, the name of a tool, or an object that names one, as in a chat request.
        parallel: Whether the message may have several calls.
        arguments: `schema` holds them to the schema of each tool, `free` only those of tools that are `strict`.
        reasoning: Where the grammar begins: `optional` at the first token, where the model may reason; `none` behind the
            reasoning; `prefilled` inside the reasoning, which the prompt has opened.
        content: Whether text may stand before calls that are demanded.
        all_spellings: Whether all spellings of the dialect's markers are allowed, not only the first.
        strict: Whether a keyword of a schema that no grammar holds is an error; it is a warning otherwise.
        answer: The JSON schema of an answer without calls, instead of text.
        tokens: The literals that are single tokens of the model, if known: a trigger that is not among them is warned about.
        lazy: Whether GBNF is of the calls alone, which begins at the trigger.
        openai: Whether the JSON schema is in the strict form of OpenAI's API.

    Raises:
        GrammarError: The dialect cannot express what is asked for, or a schema has what no grammar holds.
        ToolglotError: Tools, the dialect or a choice cannot be used.
        TypeError: A choice is of another type.
    """
    options = {
        "form": form,
        "tool_choice": tool_choice,
        "parallel": parallel,
        "arguments": arguments,
        "reasoning": reasoning,
        "content": content,
        "all_spellings": all_spellings,
        "strict": strict,
        "answer": answer,
        "tokens": None if tokens is None else list(tokens),
        "lazy": lazy,
        "openai": openai,
    }
    known, declared = _settings.dialects(dialect), _tools.compiled(tools).json
    text, body, trigger, preserved, warnings = _native.grammar(known, declared, json.dumps(options, ensure_ascii=False))
    return Grammar(text, json.loads(body), trigger, tuple(preserved), tuple(warnings))
