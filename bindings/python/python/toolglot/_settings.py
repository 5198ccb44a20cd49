"""Settings for parsing: dialects, options, threads."""

from __future__ import annotations

import inspect
import os
import textwrap
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Literal, TypeAlias, TypedDict, TypeVar

from . import _native
from ._message import FinishReason
from ._native import Dialects

#: A dialect's name, the path of a dialect file, several of either in order of preference, or a set; None is all.
DialectLike: TypeAlias = "str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | Dialects | None"


class Limits(TypedDict, total=False):
    """Limits for one message."""

    #: Bytes held back while their meaning is undecided; default 1 MiB.
    held: int
    #: Bytes of the arguments of one call; default 16 MiB.
    arguments: int
    #: Nesting depth of values; default 128.
    depth: int
    #: Calls in one message; default 256.
    calls: int


class ExchangeOptions(TypedDict, total=False):
    """Options of `Exchange`: those that do not depend on a single answer."""

    validation: Literal["lenient", "coerce", "strict"]
    untyped: Literal["infer", "string"]
    null_text: Literal["null", "text"]
    calls_in_reasoning: Literal["wait", "end", "quote"]
    frame: Literal["template", "exact"]
    evidence: Literal["strict", "balanced", "eager"]
    unknown_tool: Literal["call", "text"]
    accept_incomplete: bool
    repairs: str | list[str]
    limits: Limits | None


class Options(ExchangeOptions, total=False):
    """Options, the same as on the command line; see `docs/policies.md`."""

    reasoning_open: bool | Literal["maybe"]
    finish_reason: FinishReason | None
    marked_tokens: bool
    id_seed: int | None


class ColumnOptions(Options, total=False):
    """Options of `parse_array`."""

    tools: Any
    dialect: DialectLike
    threads: int | None
    near_misses: bool


#: The same for the additional options of columns.
_ABOUT_COLUMN: dict[str, tuple[Any, str]] = {
    "tools": (None, "The declared tools, the same for all rows, or a column of JSON texts."),
    "dialect": (None, "The dialects to read: a name, the path of a file, or several. Default: all."),
    "threads": (None, "Number of threads. Default: all processors available to the process."),
    "near_misses": (True, "Whether to report why no call was found in a text that looks like one."),
}

#: The default and the description of each option.
ABOUT: dict[str, tuple[Any, str]] = {
    "validation": (
        "coerce",
        "How to check calls against the tools' schemas: `coerce` converts values and reports remaining mismatches, "
        "`lenient` only reports, `strict` returns mismatching calls as text.",
    ),
    "untyped": (
        "infer",
        "How to read text without a declared type: `infer` recognises exact JSON, True, False and None, "
        "`string` always reads a string.",
    ),
    "null_text": ("null", "How to read the bare text null if a string or null is declared: `null` or `text`."),
    "reasoning_open": (False, "Whether the prompt opened a reasoning region; `maybe` if unknown."),
    "finish_reason": (None, "Why the server stopped, if known: `stop`, `tool_calls`, `length`, `content_filter`."),
    "calls_in_reasoning": (
        "wait",
        "How to treat a call inside reasoning: `wait` treats it as a draft if the region closes later, and as a call if it "
        "never does; `end` as a call that ends the region; `quote` never as a call.",
    ),
    "frame": (
        "template",
        "How to treat white space between text or reasoning and markers: `template` drops it as part of the markers, as "
        "chat templates write it; `exact` keeps it.",
    ),
    "evidence": (
        "balanced",
        "How much evidence a call needs: `strict` accepts exact markers only, `eager` also weak forms at the start of any "
        "line.",
    ),
    "unknown_tool": ("call", "How to treat a call to an undeclared tool: as a `call` or as `text`."),
    "accept_incomplete": (False, "Whether to return calls cut off at the end among the calls."),
    "marked_tokens": (False, "Whether special tokens are passed with `push_special` and only there."),
    "id_seed": (
        None,
        "Seed for generated call ids, from 0 to 2**64 - 1: the same seed gives the same ids. By default, ids are derived "
        "from a hash of the text; a `Parser` uses a random seed.",
    ),
    "repairs": (
        "safe",
        "`none`, `exact`, `safe`, `all`, or names of repairs; prefix a name with `-` to switch it off.",
    ),
    "limits": (
        None,
        "Limits for one message, as a dict: `held` (bytes held back, 1 MiB), `arguments` (bytes for one call, 16 MiB), "
        "`depth` (levels, 128), `calls` (256).",
    ),
}

_EXCHANGE = frozenset(ExchangeOptions.__annotations__)

RAISES = """Raises:
    ToolglotError: The tools, a dialect or an option is invalid; the message says what is valid.
    TypeError: An option is unknown, or its value has the wrong type.
    OSError: A dialect file cannot be read."""

Shown = TypeVar("Shown", bound=Callable[..., Any])


def spelled_out(shown: Shown) -> Shown:
    """Adds each option of `**options` to the signature and docstring of a function or a class."""
    return _spelled_out(shown, Options, ABOUT)


def column_spelled_out(shown: Shown) -> Shown:
    """Does the same for the options of columns."""
    return _spelled_out(shown, ColumnOptions, {**_ABOUT_COLUMN, **ABOUT})


def exchange_spelled_out(shown: Shown) -> Shown:
    """Does the same for the options of exchanges."""
    return _spelled_out(shown, ExchangeOptions, {name: ABOUT[name] for name in ABOUT if name in _EXCHANGE})


def _spelled_out(shown: Shown, typed: Any, options: dict[str, tuple[Any, str]]) -> Shown:
    signature = inspect.signature(shown)
    own = [one for one in signature.parameters.values() if one.kind is not one.VAR_KEYWORD]
    hints = {name: getattr(hint, "__forward_arg__", hint) for name, hint in typed.__annotations__.items()}
    more = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hints[name])
        for name, (default, _) in options.items()
    ]
    lines = [line for name, (_, about) in options.items() for line in _wrapped(f"{name}: {about}")]
    about = inspect.cleandoc(shown.__doc__ or "")
    shown.__doc__ = "\n".join([about, "", "Options:", *lines, "", RAISES])
    shown.__signature__ = signature.replace(parameters=[*own, *more])  # type: ignore[attr-defined]
    return shown


@lru_cache(maxsize=64)
def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, 100, initial_indent="    ", subsequent_indent="        ")


def threads(asked: int | None) -> int:
    """Returns the number of threads; the default is all processors available to the process."""
    if asked is not None and asked < 1:
        raise _native.ToolglotError(f"`threads` must be at least 1, found {asked}, or omit it to use all processors")
    if asked is not None:
        return asked
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def dialects(dialect: DialectLike) -> Dialects:
    """Returns a set of dialects; sets of built-in dialects are cached."""
    if isinstance(dialect, Dialects):
        return dialect
    if dialect is None:
        return _builtin(())
    names = [dialect] if isinstance(dialect, (str, os.PathLike)) else dialect
    words = tuple(os.fspath(name) for name in names)
    if all(word == "auto" or word in _builtin(()) for word in words):
        return _builtin(words)
    return Dialects(*words)


@lru_cache(maxsize=256)
def _builtin(names: tuple[str, ...]) -> Dialects:
    return Dialects(*names)


_DEFAULTS = _native.Options()


def options(choices: Any) -> _native.Options:
    """Returns options. Raises `TypeError` for an unknown name, `ToolglotError` for an invalid value."""
    return _native.Options(**choices) if choices else _DEFAULTS


def exchange_options(choices: Any) -> _native.Options:
    """Returns options of an exchange; the others are unknown here."""
    if other := next((name for name in choices if name not in _EXCHANGE), None):
        raise TypeError(f"unknown option `{other}`; use {', '.join(name for name in ABOUT if name in _EXCHANGE)}")
    return options(choices)
