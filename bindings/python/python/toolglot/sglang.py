"""SGLang: tool calls and reasoning in every dialect, `--tool-call-parser toolglot --reasoning-parser toolglot`.

SGLang finds `register` by the package's entry point. Parser names are `toolglot` for all dialects, `toolglot_hermes` and so
on for one, and the paths of dialect files in `TOOLGLOT_DIALECTS`. Programs that use `FunctionCallParser` without a server
must call `toolglot.sglang.register()` once.
"""

from __future__ import annotations

import logging
import os
from typing import Any

logger = logging.getLogger(__name__)


def register() -> None:
    """Registers the parsers with SGLang. Errors are logged, and SGLang runs without the parsers."""
    try:
        _register()
    except Exception:
        logger.exception("cannot register toolglot with SGLang; its parsers are not available")


def _register() -> None:
    from sglang.srt.function_call.function_call_parser import FunctionCallParser
    from sglang.srt.parser.reasoning_parser import ReasoningParser

    from ._host import parser_names

    files = os.environ.get("TOOLGLOT_DIALECTS", "").split(os.pathsep)
    for name in (*parser_names(), *(file for file in files if file)):
        if name not in FunctionCallParser.ToolCallParserEnum:
            FunctionCallParser.ToolCallParserEnum[name] = _detector(name)
            ReasoningParser.DetectorMap[name.lower()] = _reasoning_detector(name)


def _detector(name: str) -> type:
    from sglang.srt.function_call.base_format_detector import BaseFormatDetector
    from sglang.srt.function_call.core_types import StreamingParseResult, ToolCallItem

    from ._host import Answer, Delta, content_of, dialect_of, whole

    def result(delta: Delta) -> StreamingParseResult:
        # A call's first item has its name and no arguments; SGLang makes the id.
        items = []
        for call in delta.calls:
            if call.name is not None:
                items.append(ToolCallItem(tool_index=call.index, name=call.name, parameters=""))
            if call.arguments:
                items.append(ToolCallItem(tool_index=call.index, name=None, parameters=call.arguments))
        # There is no field for reasoning; `--reasoning-parser toolglot` removes it first.
        return StreamingParseResult(normal_text=delta.reasoning + delta.content, calls=items)

    class ToolglotDetector(BaseFormatDetector):  # type: ignore[misc]
        dialect = dialect_of(name)

        def __init__(self) -> None:
            super().__init__()
            self._answer: Answer | None = None

        def has_tool_call(self, text: str) -> bool:
            """Always true, so that SGLang uses the text without markers."""
            return True

        def detect_and_parse(self, text: str, tools: list[Any]) -> StreamingParseResult:
            message = whole(text, tools, self.dialect)
            calls = [
                ToolCallItem(tool_index=at, name=call.name, parameters=call.arguments)
                for at, call in enumerate(message.calls)
            ]
            return StreamingParseResult(normal_text=message.reasoning + content_of(message), calls=calls)

        def parse_streaming_increment(self, new_text: str, tools: list[Any]) -> StreamingParseResult:
            if self._answer is None:
                self._answer = Answer(tools, self.dialect)
            return result(self._answer.push(new_text))

        def finish(self, tools: list[Any]) -> StreamingParseResult:
            answer, self._answer = self._answer, None
            return result(answer.finish() if answer else Delta())

        def structure_info(self) -> Any:
            raise NotImplementedError("toolglot does not support structural tags in SGLang")

        def supports_structural_tag(self) -> bool:
            return False

        def parses_required_natively(self) -> bool:
            return True

    ToolglotDetector.__name__ = f"ToolglotDetector_{name}"
    return ToolglotDetector


def _reasoning_detector(name: str) -> type:
    from sglang.srt.parser.reasoning_parser import BaseReasoningFormatDetector, StreamingParseResult

    from ._host import Thought, dialect_of

    class ToolglotReasoningDetector(BaseReasoningFormatDetector):  # type: ignore[misc]
        dialect = dialect_of(name)

        def __init__(self, stream_reasoning: bool = True, force_reasoning: bool = False, **rest: Any) -> None:
            known = {key: rest[key] for key in ("continue_final_message", "previous_content") if key in rest}
            super().__init__(
                "<think>", "</think>", force_reasoning=force_reasoning, stream_reasoning=stream_reasoning, **known
            )
            self._thought = Thought(self.dialect, self._in_reasoning)
            self._kept = ""

        def detect_and_parse(self, text: str) -> StreamingParseResult:
            thought = Thought(self.dialect, self._in_reasoning)
            (reasoning, rest), (more, last) = thought.push(text), thought.finish()
            return StreamingParseResult(normal_text=rest + last, reasoning_text=reasoning + more)

        def parse_streaming_increment(self, new_text: str) -> StreamingParseResult:
            return self._said(*self._thought.push(new_text))

        def finish(self) -> StreamingParseResult:
            return self._said(*self._thought.finish())

        def _said(self, reasoning: str, rest: str) -> StreamingParseResult:
            self._kept += reasoning
            if not self.stream_reasoning and not self._thought.over:
                return StreamingParseResult(normal_text=rest, reasoning_text="")
            said, self._kept = self._kept, ""
            return StreamingParseResult(normal_text=rest, reasoning_text=said)

    ToolglotReasoningDetector.__name__ = f"ToolglotReasoningDetector_{name}"
    return ToolglotReasoningDetector
