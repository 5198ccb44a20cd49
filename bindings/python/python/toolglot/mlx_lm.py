"""mlx-lm: tool calls and reasoning of every dialect in its server, `python -m toolglot.mlx_lm --model MODEL`.

The launcher accepts the server's flags and `--dialect` with a name or a dialect file. `install()` does the same in a
program that starts the server itself. Calls arrive whole, as mlx-lm sends them.
"""

from __future__ import annotations

import importlib
import json
import sys
import types
import weakref
from typing import TYPE_CHECKING, Any

from ._host import new_id, whole
from ._message import Call, Event
from ._native import Arguments, CallEnd, CallStart, Reasoning, Text
from ._read import Parser
from ._settings import DialectLike, Options, spelled_out
from .spans import CallSpan

if TYPE_CHECKING:
    from typing_extensions import Unpack

#: The name of the parser in mlx-lm, also for `tool_parser_type` in `tokenizer_config.json`.
NAME = "toolglot"


@spelled_out
def install(dialect: DialectLike = None, **options: Unpack[Options]) -> None:
    """Installs the parser in mlx-lm for all models. Call it once for a process."""
    generate = importlib.import_module("mlx_lm.generate")
    tokenizers = importlib.import_module("mlx_lm.tokenizer_utils")
    module = types.ModuleType(f"mlx_lm.tool_parsers.{NAME}")
    module.tool_call_start, module.tool_call_end = "<tool_call>", "</tool_call>"  # type: ignore[attr-defined]
    module.parse_tool_call = parse_tool_call  # type: ignore[attr-defined]
    sys.modules[module.__name__] = module
    tokenizers._infer_tool_parser = lambda tokenizer: NAME
    machine = _machine(generate, dialect, options)
    generate.make_text_state_machine = machine
    if "mlx_lm.server" in sys.modules:
        sys.modules["mlx_lm.server"].make_text_state_machine = machine  # type: ignore[attr-defined]


#: The answers being parsed, by the tickets for their calls in mlx-lm's text.
_tickets: weakref.WeakValueDictionary[str, _State] = weakref.WeakValueDictionary()


def parse_tool_call(text: str, tools: Any = None) -> list[dict[str, Any]]:
    """Returns the calls of a ticket; raises `ValueError` if none is complete."""
    state = _tickets.get(text)
    read = state.calls.pop(text, None) if state else None
    if state is None or read is None:
        raise ValueError("the call is incomplete")
    raw, call = read
    # The text machine has no tools: the call is parsed again with them, so that its arguments have their types.
    found = whole(raw, tools, state.dialect).calls or [call]
    return [{"name": call.name, "id": call.id, "arguments": call.args} for call in found]


def _machine(generate: Any, dialect: DialectLike, options: dict[str, Any]) -> Any:
    base = generate.TextStateMachine

    class ToolglotMachine(base):  # type: ignore[misc]
        """Creates the state of one answer; mlx-lm's machine advances it."""

        def __init__(self, stop_words: Any = None) -> None:
            super().__init__()
            self._stops = base({"normal": [(word, "normal") for word in stop_words]} if stop_words else None)

        def make_state(self, initial: str = "normal") -> Any:
            return _State(dialect, {**options, "reasoning_open": initial == "reasoning"}, self._stops.make_state())

    split, flush, discard = base.split, base.flush, base.discard

    def moved(state: Any, text: str) -> Any:
        if not isinstance(state, _State):
            return split(state, text)
        state.stops, parts = split(state.stops, text)
        return state, state.push("".join(part for _, part in parts))

    # The server always calls these methods of the base class.
    base.split = staticmethod(moved)
    base.flush = staticmethod(lambda state: state.flush() if isinstance(state, _State) else flush(state))
    base.discard = staticmethod(lambda state: state.discard() if isinstance(state, _State) else discard(state))

    def make(tokenizer: Any, stop_words: Any = None) -> Any:
        return ToolglotMachine(stop_words)

    return make


class _State:
    """The state of one answer, which turns text into segments of mlx-lm's states.

    A call is represented by a ticket in mlx-lm's text, since its end may be found after mlx-lm accepts no more text.
    """

    def __init__(self, dialect: DialectLike, options: dict[str, Any], stops: Any) -> None:
        self._parser = Parser(dialect=dialect, collect=False, **options)
        self.dialect, self.stops = dialect, stops
        #: The bytes of the current call, starting at `_from`.
        self._raw, self._from = bytearray(), 0
        self._call: CallSpan | None = None
        self._ticket = ""
        self.calls: dict[str, tuple[str, Call]] = {}

    def push(self, text: str) -> list[tuple[str, str]]:
        self._raw += text.encode("utf-8", "replace")
        return self._segments(self._parser.push(text))

    def flush(self) -> tuple[_State, str, str]:
        """Ends an answer that reached a limit; held text is returned as text."""
        kind, waiting = self._kind(), self._call is not None
        segments = self._segments(self._parser.finish("length"))
        text = "" if waiting else "".join(text for state, text in segments if state == "normal")
        return self, text, kind

    def discard(self) -> tuple[_State, str]:
        """Ends an answer that stopped regularly."""
        kind = self._kind()
        self._segments(self._parser.finish("stop"))
        return self, kind

    def _kind(self) -> str:
        return "tool" if self._call else "normal"

    def _segments(self, events: list[Event]) -> list[tuple[str, str]]:
        out: list[tuple[str, str]] = []
        for event in events:
            match event:
                case Text():
                    out.append(("normal", event.text))
                case Reasoning():
                    out.append(("reasoning", event.text))
                case CallStart():
                    self._call = CallSpan(event.name, "", "truncated", event.id, event.start, event.end)
                    self._ticket = new_id()
                    _tickets[self._ticket] = self
                    out.append(("tool", self._ticket))
                case Arguments() if self._call:
                    self._call.arguments += event.json
                case CallEnd() if self._call:
                    if event.outcome in ("complete", "repaired"):
                        raw = self._raw[self._call.start - self._from : event.end - self._from].decode()
                        call = Call(event.id or self._call.id or self._ticket, self._call.name, self._call.arguments)
                        self.calls[self._ticket] = (raw, call)
                    self._call = None
                    out.append(("normal", ""))
                case _:
                    pass
        if self._call is None and events:
            done = events[-1].end - self._from
            del self._raw[:done]
            self._from += done
        return out or [(self._kind(), "")]


def main() -> None:
    """Starts mlx-lm's server."""
    dialect = None
    if "--dialect" in sys.argv:
        at = sys.argv.index("--dialect")
        dialect = sys.argv[at + 1]
        del sys.argv[at : at + 2]
    install(dialect)
    importlib.import_module("mlx_lm.server").main()


if __name__ == "__main__":
    main()
