"""Parses tool calls from the text of language models, in every dialect, whole or streamed.

    >>> import toolglot
    >>> message = toolglot.parse('Hi. <tool_call>{"name": "ls", "arguments": {"path": "src",}}</tool_call>')
    >>> message.content, message.calls[0].name, message.calls[0].arguments
    ('Hi. ', 'ls', '{"path": "src"}')

`parse` parses a whole text, `Parser` parses it in pieces, `stream` and `astream` parse the items of an iterator, and
`parse_array` parses columns. `repair` and `ArgumentsReader` read only arguments, `Renderer` writes calls, `grammar`
constrains a model to a dialect, and `detect` identifies dialects. `explain` shows how a text was parsed, and `near_miss`
why no call was found. Integrations are modules: `toolglot.vllm`, `toolglot.openai` and so on.
"""

from ._grammar import Grammar, grammar
from ._message import Call, Event, IncompleteCall, Message
from ._native import (
    Arguments,
    CallEnd,
    CallStart,
    Diagnostic,
    Dialect,
    DialectError,
    Dialects,
    GrammarError,
    Markup,
    MessageArray,
    Reasoning,
    RenderError,
    Text,
    ToolglotError,
    __version__,
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
    "Call",
    "CallEnd",
    "CallStart",
    "Diagnostic",
    "Dialect",
    "DialectError",
    "Dialects",
    "Event",
    "Evidence",
    "Grammar",
    "GrammarError",
    "IncompleteCall",
    "Markup",
    "Message",
    "MessageArray",
    "NearMiss",
    "Options",
    "Parser",
    "Reasoning",
    "RenderError",
    "Renderer",
    "Repaired",
    "Step",
    "Text",
    "ToolglotError",
    "Tools",
    "Verdict",
    "__version__",
    "astream",
    "detect",
    "explain",
    "grammar",
    "near_miss",
    "parse",
    "parse_array",
    "parse_many",
    "repair",
    "stream",
]
