"""Grammars that constrain a model to its dialect."""

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
    """A grammar, with what an engine needs to use it."""

    #: GBNF, Lark or JSON.
    text: str
    #: The members for a request body: for llama-server, vLLM, or an API with `response_format`.
    body: dict[str, Any]
    #: The text that calls begin with; None if prose may contain it.
    trigger: str | None
    #: The markers that are special tokens of the dialect's models; the engine must not drop them.
    preserved_tokens: tuple[str, ...]
    #: What the grammar does not enforce and what an engine may not handle.
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
    """Returns a grammar that constrains a model to a dialect and its tools.

    >>> made = grammar("hermes", [{"name": "ls", "parameters": {"type": "object"}}], tool_choice="required")
    >>> made.text.startswith("root ::= "), made.trigger
    (True, '<tool_call>')

    Args:
        dialect: The dialect of the model: a name, or the path of a file.
        tools: The declared tools, in any form that `parse` accepts.
        form: `gbnf` for llama.cpp, `lark` for llguidance, `structural-tag` for xgrammar (vLLM, SGLang, TensorRT-LLM),
            `json-schema` for hosted APIs.
        tool_choice: `auto`, `required`, `none`, the name of a tool, or an object that names one, as in a chat request.
        parallel: Whether to allow several calls in a message.
        arguments: `schema` constrains arguments to the schema of each tool, `free` only for tools that are `strict`.
        reasoning: Where the grammar begins: `optional` at the first token, with optional reasoning; `none` after the
            reasoning; `prefilled` inside the reasoning, whose opening marker is part of the prompt.
        content: Whether text may precede required calls.
        all_spellings: Whether to allow all spellings of the dialect's markers instead of only the first.
        strict: Whether an unsupported schema keyword is an error instead of a warning.
        answer: The JSON schema for answers without calls; otherwise they are text.
        tokens: The literals that are single tokens of the model, if known; it warns if the trigger is not one.
        lazy: Whether GBNF covers only the calls, starting at the trigger.
        openai: Whether the JSON schema has the strict form of OpenAI's API.

    Raises:
        GrammarError: The dialect cannot express the options or the schemas, or a schema keyword is not supported.
        ToolglotError: The tools, the dialect or an option is invalid.
        TypeError: An option has the wrong type.
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
