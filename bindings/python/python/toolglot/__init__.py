"""Parses tool calls from the text of language models, in every dialect, whole or streamed.

    >>> import toolglot
    >>> message = toolglot.parse('Hi. <tool_call>{"name": "ls", "arguments": {"path": "src",}}</tool_call>')
    >>> message.content, message.calls[0].name, message.calls[0].arguments
    ('Hi. ', 'ls', '{"path": "src"}')

`parse` parses a whole text, `Parser` parses it in pieces, `stream` and `astream` parse the items of an iterator, and
`parse_array` parses columns. `repair` and `ArgumentsReader` read only arguments, `Renderer` writes calls, `grammar`
constrains a model to a dialect, and `detect` identifies dialects. `explain` shows how a text was parsed, `inspect` how every
byte was read, and `near_miss` why no call was found. `sketch` makes a dialect file from an example, and `certify` tests it.
`Exchange` converts requests to model servers and their answers. Integrations are modules: `toolglot.vllm`, `toolglot.openai`
and so on.
"""

from ._dialect_file import Certificate, certify, sketch
from ._exchange import Exchange
from ._grammar import Grammar, grammar
from ._inspection import Arrival, Inspection, Mending, Remedy, Stretch, WhyNot, inspect
from ._message import Call, Event, IncompleteCall, Message
from ._native import (
    Arguments,
    CallEnd,
    CallStart,
    Diagnostic,
    Dialect,
    DialectError,
    Dialects,
    ExchangeError,
    GrammarError,
    Markup,
    MessageArray,
    Reasoning,
    RenderError,
    Text,
    ToolglotError,
    Turn,
    __version__,
    mint,
)
from ._read import (
    ArgumentsEnd,
    ArgumentsReader,
    Parser,
    Repaired,
    astream,
    parse,
    parse_array,
    parse_many,
    repair,
    stream,
)
from ._settings import Options
from ._tools import Tools
from ._write import Evidence, NearMiss, Renderer, Step, Verdict, detect, explain, near_miss

__all__ = [
    "Arguments",
    "ArgumentsEnd",
    "ArgumentsReader",
    "Arrival",
    "Call",
    "CallEnd",
    "CallStart",
    "Certificate",
    "Diagnostic",
    "Dialect",
    "DialectError",
    "Dialects",
    "Event",
    "Evidence",
    "Exchange",
    "ExchangeError",
    "Grammar",
    "GrammarError",
    "IncompleteCall",
    "Inspection",
    "Markup",
    "Mending",
    "Message",
    "MessageArray",
    "NearMiss",
    "Options",
    "Parser",
    "Reasoning",
    "Remedy",
    "RenderError",
    "Renderer",
    "Repaired",
    "Step",
    "Stretch",
    "Text",
    "ToolglotError",
    "Tools",
    "Turn",
    "Verdict",
    "WhyNot",
    "__version__",
    "astream",
    "certify",
    "detect",
    "explain",
    "grammar",
    "inspect",
    "mint",
    "near_miss",
    "parse",
    "parse_array",
    "parse_many",
    "repair",
    "sketch",
    "stream",
]
