"""Declared tools in any form."""

from __future__ import annotations

import dataclasses
import inspect
import json
import re
import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeAlias

from . import _native

#: A list of tools, or one: dicts in the form of OpenAI, Anthropic, MCP or Gemini, JSON text of such a list, functions,
#: pydantic models, dataclasses, or objects with `model_dump`, such as a client library's own types.
ToolsLike: TypeAlias = "Tools | str | Mapping[str, Any] | Callable[..., Any] | Iterable[Any] | None"


class Tools(_native.Tools):
    """The tools that a model may call, compiled for reuse.

        >>> def get_weather(city: str, days: int = 1) -> str:
        ...     '''Returns a weather forecast.'''
        >>> Tools([get_weather]).names
        ['get_weather']

    Raises `ToolglotError` if an entry is not a tool.
    """

    __slots__ = ("json",)
    #: The tools as JSON text: a list in OpenAI's form.
    json: str

    def __new__(cls, tools: ToolsLike = None) -> Tools:
        if isinstance(tools, Tools):
            return tools
        text = tools if isinstance(tools, str) else json.dumps(declarations(tools), ensure_ascii=False)
        made = super().__new__(cls, text)
        made.json = text
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return Tools, (self.json,)


def compiled(tools: ToolsLike) -> Tools:
    """Returns compiled tools; equal lists are cached."""
    if isinstance(tools, Tools):
        return tools
    if tools is None:
        return _cached("")
    return _cached(tools if isinstance(tools, str) else json.dumps(declarations(tools), ensure_ascii=False))


@lru_cache(maxsize=128)
def _cached(text: str) -> Tools:
    return Tools(text)


def declarations(tools: ToolsLike) -> list[dict[str, Any]]:
    """Returns tools as a list of dicts in the form of OpenAI or Anthropic."""
    if tools is None:
        return []
    if isinstance(tools, Tools):
        return declarations(tools.json)
    if isinstance(tools, str):
        return declarations(json.loads(tools or "[]"))
    if _is_one(tools):
        tools = [tools]
    return [entry for tool in typing.cast("Iterable[Any]", tools) for entry in _entries(tool)]


def _is_one(tools: Any) -> bool:
    return isinstance(tools, Mapping) or callable(tools) or not isinstance(tools, Iterable)


def _entries(tool: Any) -> list[dict[str, Any]]:
    """Returns one entry, or several for a list in the form of Gemini or MCP."""
    if isinstance(tool, type) or inspect.isroutine(tool):
        return [{"type": "function", "function": _declared(tool)}]
    if not isinstance(tool, Mapping):
        tool = _dumped(tool)
    for key in ("functionDeclarations", "function_declarations"):
        if key in tool:
            return [_gemini(function) for function in tool[key] or []]
    if "tools" in tool and "name" not in tool:
        return declarations(tool["tools"])
    return [dict(tool)]


def _dumped(tool: Any) -> Mapping[str, Any]:
    """Returns an object of a client library as a dict."""
    for method in ("model_dump", "to_dict", "dict"):
        if callable(dump := getattr(tool, method, None)):
            try:
                found = dump(exclude_none=True)
            except TypeError:
                found = dump()
            if isinstance(found, Mapping):
                return found
    if dataclasses.is_dataclass(tool) and not isinstance(tool, type):
        return dataclasses.asdict(tool)
    if schema := getattr(tool, "args_schema", None):
        return {"type": "function", "function": {**_declared(schema), "name": tool.name}}
    if callable(tool):
        return {"type": "function", "function": _declared(tool.__call__, type(tool).__name__)}
    raise _native.ToolglotError(f"{tool!r} is not a tool; pass a dict, a function, a pydantic model or a dataclass")


def _gemini(function: Any) -> dict[str, Any]:
    if not isinstance(function, Mapping):
        function = _dumped(function)
    for key in ("parametersJsonSchema", "parameters_json_schema"):
        if function.get(key) is not None:
            return {"name": function["name"], "parameters": function[key]}
    return {"name": function["name"], "parameters": _lowered(function.get("parameters"))}


def _lowered(schema: Any) -> Any:
    """Converts a schema with Gemini's types (`STRING`, `nullable`) to JSON Schema."""
    if isinstance(schema, Sequence) and not isinstance(schema, str):
        return [_lowered(item) for item in schema]
    if not isinstance(schema, Mapping):
        return schema
    # Names of properties are not keywords.
    found = {
        key: {name: _lowered(part) for name, part in value.items()} if key == "properties" else _lowered(value)
        for key, value in schema.items()
        if key != "nullable"
    }
    if isinstance(kind := found.get("type"), str):
        found["type"] = [kind.lower(), "null"] if schema.get("nullable") else kind.lower()
    for key in ("enum", "required", "default", "example"):
        if key in schema:
            found[key] = schema[key]
    return found


def _declared(tool: Any, name: str | None = None) -> dict[str, Any]:
    """Returns the declaration of a function, a pydantic model or a dataclass from its signature and docstring."""
    about = inspect.getdoc(tool) or ""
    declared = {"name": name or tool.__name__, "description": _summary(about)}
    if callable(schema := getattr(tool, "model_json_schema", None)):
        return {**declared, "parameters": schema()}
    if (adapted := _adapted(tool)) is not None:
        return {**declared, "parameters": adapted}
    return {**declared, "parameters": _signature(tool, about)}


def _adapted(tool: Any) -> dict[str, Any] | None:
    """Returns pydantic's schema of a signature, if pydantic is installed and supports it."""
    try:
        from pydantic import TypeAdapter
    except ImportError:
        return None
    try:
        if dataclasses.is_dataclass(tool):
            return TypeAdapter(tool).json_schema()
        hints = typing.get_type_hints(tool, include_extras=True)
        fields = _parameters(tool)
        described = _described(inspect.getdoc(tool) or "")
        properties, required, definitions = {}, [], {}
        for field in fields:
            schema = TypeAdapter(hints.get(field.name, Any)).json_schema()
            definitions.update(schema.pop("$defs", {}))
            if field.name in described:
                schema.setdefault("description", described[field.name])
            properties[field.name] = schema
            if field.default is field.empty:
                required.append(field.name)
    except Exception:  # The type has no schema; the fallback leaves it open.
        return None
    found: dict[str, Any] = {"type": "object", "properties": properties, "required": required}
    return {**found, "$defs": definitions} if definitions else found


def _signature(tool: Any, about: str) -> dict[str, Any]:
    try:
        hints = typing.get_type_hints(tool.__init__ if isinstance(tool, type) else tool)
    except Exception:  # Annotations that cannot be resolved are ignored.
        hints = {}
    described, properties, required = _described(about), {}, []
    for field in _parameters(tool):
        schema = _schema(hints.get(field.name, Any))
        if field.name in described:
            schema["description"] = described[field.name]
        properties[field.name] = schema
        if field.default is field.empty:
            required.append(field.name)
    return {"type": "object", "properties": properties, "required": required}


def _parameters(tool: Any) -> list[inspect.Parameter]:
    """Returns the parameters that a model may pass: no `self`, no `*args`."""
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    fields = inspect.signature(tool).parameters.values()
    return [field for field in fields if field.kind in kinds and field.name not in ("self", "cls")]


_PLAIN = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null", dict: "object"}


def _schema(hint: Any) -> dict[str, Any]:
    """Returns the JSON Schema of an annotation, or an open schema."""
    if hint in _PLAIN:
        return {"type": _PLAIN[hint]}
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Literal:
        return {"enum": list(args)}
    if origin in (typing.Union, types.UnionType):
        return {"anyOf": [_schema(arg) for arg in args]}
    if hint is list or origin in (list, tuple, set, frozenset, Sequence):
        return {"type": "array", **({"items": _schema(args[0])} if args else {})}
    if origin in (dict, Mapping):
        return {"type": "object"}
    if origin is typing.Annotated:
        return _schema(args[0])
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return _signature(hint, "")
    return {}


def _summary(about: str) -> str:
    return re.split(r"\n\s*(?:Args|Arguments|Parameters|Returns|Raises)\s*:?\s*\n", about)[0].strip()


def _described(about: str) -> dict[str, str]:
    """Returns the descriptions of parameters in a docstring in Google's or Sphinx's style."""
    google = re.findall(r"^\s+\*{0,2}(\w+)\s*(?:\([^)]*\))?:\s+(\S.*)$", about, re.MULTILINE)
    sphinx = re.findall(r"^\s*:param (?:[\w\[\], |]+ )?(\w+):\s+(\S.*)$", about, re.MULTILINE)
    return {name: text.strip() for name, text in [*google, *sphinx]}
