"""Dialect files: made from an example, and tested."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from . import _native, _settings
from ._message import Call
from ._settings import DialectLike
from ._write import _call


def sketch(
    name: str, text: str, calls: Iterable[Call | Mapping[str, Any]], *, about: str = "", strong: bool = False
) -> str:
    """Returns the text of a dialect file that reads an example; `Dialects.from_toml` compiles it.

        >>> source = sketch("mine", '::ls:: {"path": "/"} ::end::', [{"name": "ls", "arguments": {"path": "/"}}])
        >>> mine = Dialects.from_toml("mine", source)
        >>> parse('::cat:: {"file": "a.txt"} ::end::', dialect=mine).calls[0].name
        'cat'

    Args:
        name: The dialect's name.
        text: An example, exactly as the model wrote it. Two calls show more than one: what separates them, and what is around
            all of them.
        calls: The calls in the example, in order: `Call`s, or dicts as in a chat completion or with `name` and `arguments`.
            Arguments are a dict, or a JSON object as text.
        about: A description in one sentence.
        strong: Whether prose never contains the calls' opening marker, so that calls may begin inside a line.

    Raises:
        ToolglotError: The text does not contain a call, no dialect fits the example, or arguments are not a JSON object.
    """
    expected = [(call.name, call.arguments) if isinstance(call, Call) else _call(call)[:2] for call in calls]
    return _native.sketch(name, text, expected, about, strong)


@dataclass(frozen=True, slots=True)
class Certificate:
    """The result of testing a dialect."""

    #: Two calls in the dialect, with every kind of value that is preserved; None if it cannot express any.
    example: str | None
    #: Why there is no example.
    why: str | None
    #: Kinds of values that are not preserved, with the reason.
    lost: tuple[str, ...]
    #: Behaviour that may be unexpected.
    warnings: tuple[str, ...]


def certify(dialect: DialectLike) -> Certificate:
    """Tests a dialect: renders two calls with values of every kind and parses them again.

        >>> lossy = Dialects.from_toml("lossy", "call = '<f {name}>{params}</f>'\\nparam = '<{key}>{value}<b>'")
        >>> certify(lossy).lost[0].partition(":")[0]
        'a string with quotes and brackets'

    Raises:
        ToolglotError: `dialect` is not exactly one dialect, or it is unknown.
        OSError: A dialect file cannot be read.
    """
    example, why, lost, warnings = _native.certify(_settings.dialects(dialect))
    return Certificate(example, why, tuple(lost), tuple(warnings))
