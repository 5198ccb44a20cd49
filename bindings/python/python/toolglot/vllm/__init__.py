"""vLLM: tool calls and reasoning in every dialect, `vllm serve MODEL --enable-auto-tool-choice --tool-call-parser toolglot`.

vLLM finds `register` by the package's entry point. Parser names are `toolglot` for all dialects, `toolglot_hermes`
and so on for one, or the path of a dialect file from the command line or `TOOLGLOT_DIALECTS`.
"""

from __future__ import annotations

import inspect
import logging
import os
import sys
from typing import Any

logger = logging.getLogger(__name__)

_FLAGS = ("--tool-call-parser", "--reasoning-parser")


def register() -> None:
    """Registers the parsers with vLLM. Errors are logged, and vLLM runs without the parsers."""
    try:
        _register()
    except Exception:
        logger.exception("cannot register toolglot with vLLM; its parsers are not available")


def _register() -> None:
    from vllm.reasoning import ReasoningParserManager
    from vllm.tool_parsers.abstract_tool_parser import ToolParserManager

    from .._host import parser_names

    for name in (*parser_names(), *_files()):
        ToolParserManager.register_lazy_module(name, __name__, f"ToolParser:{name}")
        ReasoningParserManager.register_lazy_module(name, __name__, f"ReasoningParser:{name}")
    _unify()


def _files() -> list[str]:
    """Returns the dialect files named on the command line or in the environment."""
    words = sys.argv
    values = [value for word, value in zip(words, words[1:], strict=False) if word in _FLAGS]
    values += [word.split("=", 1)[1] for word in words if word.startswith(tuple(f"{flag}=" for flag in _FLAGS))]
    values += os.environ.get("TOOLGLOT_DIALECTS", "").split(os.pathsep)
    return [value for value in dict.fromkeys(values) if value.endswith(".toml")]


def is_ours(name: str | None) -> bool:
    """Returns whether a parser's name belongs to this package."""
    return name is not None and (name == "toolglot" or name.startswith("toolglot_") or name.endswith(".toml"))


def _unify() -> None:
    """Reads reasoning and calls with one parser, where this version of vLLM composes parsers as we know it."""
    try:
        from vllm.parser import ParserManager
    except ImportError:
        return
    compose = getattr(ParserManager, "_compose_parser", None)
    if compose is None or getattr(compose, "toolglot", False):
        return
    signature = inspect.signature(compose)
    if not {"tool_parser_name", "reasoning_parser_name", "enable_auto_tools"} <= signature.parameters.keys():
        return

    def _compose_parser(cls: Any, *args: Any, **kwargs: Any) -> Any:
        given = signature.bind(*args, **kwargs).arguments
        tool, reasoning = given.get("tool_parser_name"), given.get("reasoning_parser_name")
        tool = tool if given.get("enable_auto_tools") else None
        names = [name for name in (tool, reasoning) if name]
        if not names or not all(is_ours(name) for name in names) or given.get("is_harmony"):
            return compose(*args, **kwargs)
        from .parsers import unified

        composed = compose(*args, **kwargs)
        return unified(tool, reasoning, getattr(composed, "tool_strict_level", None))

    _compose_parser.toolglot = True  # type: ignore[attr-defined]
    ParserManager._compose_parser = classmethod(_compose_parser)


def __getattr__(name: str) -> Any:
    """Creates the class for `KIND:NAME`, which vLLM requests."""
    kind, colon, parser = name.partition(":")
    if not colon:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import parsers

    return parsers.tool_parser(parser) if kind == "ToolParser" else parsers.reasoning_parser(parser)
