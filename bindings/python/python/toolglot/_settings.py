"""What a text is read with: dialects and options."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Literal, TypeAlias, TypedDict

from . import _native
from ._message import FinishReason
from ._native import Dialects

#: A dialect's name, the path of a dialect file, several of either in order of preference, or a set; None is all.
DialectLike: TypeAlias = "str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | Dialects | None"


class Limits(TypedDict, total=False):
    """Bounds on what one message may make the parser hold or say."""

    held: int
    arguments: int
    depth: int
    calls: int


class Options(TypedDict, total=False):
    """A caller's choices, the same as the command line's; `docs/policies.md` says what each is for."""

    validation: Literal["lenient", "coerce", "strict"]
    untyped: Literal["infer", "string"]
    null_text: Literal["null", "text"]
    reasoning_open: bool | Literal["maybe"]
    finish_reason: FinishReason | None
    calls_in_reasoning: Literal["wait", "end", "quote"]
    evidence: Literal["strict", "balanced", "eager"]
    unknown_tool: Literal["call", "text"]
    accept_incomplete: bool
    marked_tokens: bool
    id_seed: int
    repairs: str | list[str]
    limits: Limits


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
    """Returns options; raises `TypeError` for a name that is none, `ValueError` for a choice that is none."""
    return _native.Options(**choices) if choices else _DEFAULTS
