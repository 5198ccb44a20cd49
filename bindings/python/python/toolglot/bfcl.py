"""BFCL: model handlers that parse answers with toolglot, `toolglot.bfcl.register("my-model", BaseHandler)`."""

from __future__ import annotations

from typing import Any

from ._read import parse
from ._settings import DialectLike


def decode_ast(result: Any, dialect: DialectLike = None, tools: Any = None) -> list[dict[str, dict[str, Any]]]:
    """Returns the calls in the form that BFCL compares: `[{name: {parameter: value}}]`.

    >>> decode_ast('<tool_call>{"name": "f", "arguments": {"a": 1}}</tool_call>')
    [{'f': {'a': 1}}]
    """
    return [{call.name: call.args} for call in parse(str(result), dialect=dialect, tools=tools).calls]


def decode_execute(result: Any, dialect: DialectLike = None, tools: Any = None) -> list[str]:
    """Returns the calls in the form that BFCL runs: `["name(parameter=value)"]`.

    >>> decode_execute('<tool_call>{"name": "f", "arguments": {"a": "x"}}</tool_call>')
    ["f(a='x')"]
    """
    found = parse(str(result), dialect=dialect, tools=tools).calls
    return [f"{call.name}({', '.join(f'{key}={value!r}' for key, value in call.args.items())})" for call in found]


def handler(base: type, dialect: DialectLike = None) -> type:
    """Returns a subclass of the handler `base` that parses answers with toolglot."""

    class ToolglotHandler(base):  # type: ignore[misc]
        def decode_ast(self, result: Any, language: Any = None, has_tool_call_tag: bool = False) -> Any:
            return decode_ast(result, dialect)

        def decode_execute(self, result: Any, has_tool_call_tag: bool = False) -> Any:
            return decode_execute(result, dialect)

    return ToolglotHandler


def register(name: str, config: Any, dialect: DialectLike = None) -> None:
    """Adds a model to BFCL's table: a copy of an existing `ModelConfig` with a handler that uses toolglot."""
    from dataclasses import replace

    from bfcl_eval.constants.model_config import MODEL_CONFIG_MAPPING

    made = handler(config.model_handler, dialect)
    MODEL_CONFIG_MAPPING[name] = replace(config, display_name=f"{config.display_name} (toolglot)", model_handler=made)
