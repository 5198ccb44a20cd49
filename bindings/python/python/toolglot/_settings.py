"""What a text is read with: dialects, options, threads."""

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
    """Bounds on what one message may make the parser hold or say."""

    #: Bytes held back while it is open what they are; 1 MiB.
    held: int
    #: Bytes that one call's arguments may take; 16 MiB.
    arguments: int
    #: How deep values may nest; 128.
    depth: int
    #: Calls in one message; 256.
    calls: int


class Options(TypedDict, total=False):
    """A caller's choices, the same as the command line's; `docs/policies.md` says what each is for."""

    validation: Literal["lenient", "coerce", "strict"]
    untyped: Literal["infer", "string"]
    null_text: Literal["null", "text"]
    reasoning_open: bool | Literal["maybe"]
    finish_reason: FinishReason | None
    calls_in_reasoning: Literal["wait", "end", "quote"]
    frame: Literal["template", "exact"]
    evidence: Literal["strict", "balanced", "eager"]
    unknown_tool: Literal["call", "text"]
    accept_incomplete: bool
    marked_tokens: bool
    id_seed: int | None
    repairs: str | list[str]
    limits: Limits | None


class ColumnOptions(Options, total=False):
    """What a column is read with, as `parse_array` takes it."""

    tools: Any
    dialect: DialectLike
    threads: int | None
    near_misses: bool


#: The same for what a column takes besides.
_ABOUT_COLUMN: dict[str, tuple[Any, str]] = {
    "tools": (None, "The declared tools, the same for all rows, or a column of JSON texts."),
    "dialect": (None, "The dialects to read: a name, the path of a file, or several; all if it is left out."),
    "threads": (None, "How many threads read; all processors that the process may use if it is left out."),
    "near_misses": (True, "Whether a row says why no call was found in a text that looks like one."),
}

#: The default of each option, and what it decides.
ABOUT: dict[str, tuple[Any, str]] = {
    "validation": (
        "coerce",
        "How calls are checked against the tools' schemas: `coerce` converts values and reports what still does not fit, "
        "`lenient` only reports, `strict` gives a call that does not fit back as text.",
    ),
    "untyped": (
        "infer",
        "What text means where no schema gives its type: `infer` takes exact JSON, True, False and None as what they are, "
        "`string` takes all as strings.",
    ),
    "null_text": ("null", "What the bare text null means where a string or null is declared: `null` or `text`."),
    "reasoning_open": (False, "Whether the prompt already opened a reasoning region; `maybe` if that is not known."),
    "finish_reason": (None, "Why the server stopped, if it said so: `stop`, `tool_calls`, `length`, `content_filter`."),
    "calls_in_reasoning": (
        "wait",
        "What a call inside reasoning is: `wait` takes it as a draft if the region closes later, as a call if it never "
        "does; `end` as a call that ends the region; `quote` never as a call.",
    ),
    "frame": (
        "template",
        "What white space between text or reasoning and markers is: `template` takes it as part of the markers, as chat "
        "templates write it; `exact` keeps it.",
    ),
    "evidence": (
        "balanced",
        "How much evidence a call needs: `strict` takes exact markers only, `eager` weak shapes at the start of any line.",
    ),
    "unknown_tool": ("call", "What becomes of a call whose tool is not declared: `call` or `text`."),
    "accept_incomplete": (False, "Whether a call that the end cut off is among the calls."),
    "marked_tokens": (False, "Whether special tokens come in with `push_special`, and nothing else can be one."),
    "id_seed": (
        None,
        "Seed for call ids that the model does not supply, from 0 to 2**64 - 1: the same seed gives the same ids. Without "
        "one they come from a hash of the text; a `Parser` draws a number.",
    ),
    "repairs": (
        "safe",
        "`none`, `exact`, `safe`, `all`, or names of repairs, with `-` before those that may not be made.",
    ),
    "limits": (
        None,
        "Bounds on one message, as a dict: `held` (bytes held back, 1 MiB), `arguments` (bytes of one call's, 16 MiB), "
        "`depth` (levels, 128), `calls` (256).",
    ),
}

RAISES = """Raises:
    ToolglotError: Tools, a dialect or a choice cannot be used; the text says what can.
    TypeError: There is no option of a name, or its value is of another type.
    OSError: A dialect file cannot be read."""

Shown = TypeVar("Shown", bound=Callable[..., Any])


def spelled_out(shown: Shown) -> Shown:
    """Puts the options that a function or a class takes with `**options` one by one into its signature and docstring."""
    return _spelled_out(shown, Options, ABOUT)


def column_spelled_out(shown: Shown) -> Shown:
    """Does the same for what takes the options of a column."""
    return _spelled_out(shown, ColumnOptions, {**_ABOUT_COLUMN, **ABOUT})


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
    """Returns how many threads to read on: all the processors that this process may use, unless told otherwise."""
    if asked is not None and asked < 1:
        raise _native.ToolglotError(f"`threads` must be at least 1, found {asked}; leave it out for all processors")
    if asked is not None:
        return asked
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def dialects(dialect: DialectLike) -> Dialects:
    """Returns a set of dialects; sets of built-in ones are made once."""
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
    """Returns options; raises `TypeError` for a name that is none, `ToolglotError` for a choice that is none."""
    return _native.Options(**choices) if choices else _DEFAULTS
