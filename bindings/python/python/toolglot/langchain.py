"""LangChain: tool calls from any chat model, streamed, and for agents.

`ToolglotChat(model=…)` wraps a chat model and streams `tool_call_chunks`; `middleware()` does so in an agent. Incomplete
calls are in `invalid_tool_calls`, never in `tool_calls`.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.tool import ToolCallChunk, invalid_tool_call, tool_call
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.utils.function_calling import convert_to_openai_tool

from ._host import Answer, Delta, whole
from ._settings import DialectLike, Options, spelled_out

if TYPE_CHECKING:
    from typing_extensions import Unpack

#: Callbacks get the tokens from the wrapper, so the wrapped model must not report them as well.
_SILENT: Any = {"callbacks": []}

_CUT = "the answer ended before the call was complete"
_BROKEN = "the call contains an error that cannot be repaired"


def read(message: AIMessage, tools: Any = None, dialect: DialectLike = None, **options: Any) -> AIMessage:
    """Returns a message with the calls in its text; a message with native calls or without text is returned unchanged."""
    if message.tool_calls or not isinstance(message.content, str) or not message.content:
        return message
    found = whole(message.content, tools, dialect, **options)
    if not (found.calls or found.incomplete or found.reasoning):
        return message
    extra = dict(message.additional_kwargs)
    if found.reasoning:
        extra["reasoning_content"] = found.reasoning
    calls = [tool_call(name=call.name, args=call.args, id=call.id) for call in found.calls]
    invalid = [
        invalid_tool_call(
            name=call.name,
            args=call.arguments,
            id=None,
            error=_CUT if call.outcome == "truncated" else _BROKEN,
        )
        for call in found.incomplete
    ]
    return message.model_copy(
        update={
            "content": found.content,
            "tool_calls": calls,
            "invalid_tool_calls": [*message.invalid_tool_calls, *invalid],
            "additional_kwargs": extra,
        }
    )


class ToolglotChat(BaseChatModel):
    """A wrapper of a chat model that parses its text while it streams."""

    model: BaseChatModel
    dialect: Any = None
    options: dict[str, Any] = {}  # noqa: RUF012  (pydantic copies it)
    #: Whether to pass the tools to the wrapped model as well; a model without tools raises an error.
    pass_tools: bool = True

    @property
    def _llm_type(self) -> str:
        return f"toolglot-{self.model._llm_type}"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Any:
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools], **kwargs)

    def _inner(self, kwargs: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        """Returns the wrapped model and its arguments."""
        tools = kwargs.get("tools")
        rest = {key: value for key, value in kwargs.items() if key not in ("tools", "tool_choice")}
        if not tools or not self.pass_tools:
            return self.model, rest
        try:
            return self.model.bind_tools(tools, tool_choice=kwargs.get("tool_choice")), rest
        except NotImplementedError:
            return self.model, rest

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        inner, rest = self._inner(kwargs)
        return self._result(inner.invoke(messages, _SILENT, stop=stop, **rest), kwargs)

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        inner, rest = self._inner(kwargs)
        return self._result(await inner.ainvoke(messages, _SILENT, stop=stop, **rest), kwargs)

    def _result(self, message: AIMessage, kwargs: dict[str, Any]) -> ChatResult:
        message = read(message, kwargs.get("tools"), self.dialect, **self.options)
        return ChatResult(generations=[ChatGeneration(message=message)])

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        inner, rest = self._inner(kwargs)
        answer = Answer(kwargs.get("tools"), self.dialect, **self.options)
        for chunk in inner.stream(messages, _SILENT, stop=stop, **rest):
            yield _generation(_read_chunk(chunk, answer))
        yield _generation(_chunk(answer.finish()))

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        inner, rest = self._inner(kwargs)
        answer = Answer(kwargs.get("tools"), self.dialect, **self.options)
        async for chunk in inner.astream(messages, _SILENT, stop=stop, **rest):
            yield _generation(_read_chunk(chunk, answer))
        yield _generation(_chunk(answer.finish()))


def _read_chunk(chunk: AIMessageChunk, answer: Answer) -> AIMessageChunk:
    """Parses the text of a chunk and keeps everything else."""
    if not isinstance(chunk.content, str) or not chunk.content:
        return chunk
    made = _chunk(answer.push(chunk.content))
    # A new object, so that LangChain processes the tool-call chunks.
    return AIMessageChunk(
        content=made.content,
        tool_call_chunks=[*chunk.tool_call_chunks, *made.tool_call_chunks],
        additional_kwargs={**chunk.additional_kwargs, **made.additional_kwargs},
        response_metadata=chunk.response_metadata,
        usage_metadata=chunk.usage_metadata,
        id=chunk.id,
        name=chunk.name,
    )


def _chunk(delta: Delta) -> AIMessageChunk:
    calls = [
        ToolCallChunk(name=call.name, args=call.arguments, id=call.id, index=call.index, type="tool_call_chunk")
        for call in delta.calls
    ]
    calls += [
        ToolCallChunk(name=None, args=_spoiled(arguments, outcome), id=None, index=index, type="tool_call_chunk")
        for index, outcome, arguments in delta.unfinished
    ]
    extra = {"reasoning_content": delta.reasoning} if delta.reasoning else {}
    return AIMessageChunk(content=delta.content, tool_call_chunks=calls, additional_kwargs=extra)


def _spoiled(arguments: str, outcome: str) -> str:
    """Returns a suffix that makes the arguments of an incomplete call invalid.

    LangChain completes truncated JSON, so the call would be run; it does not repair unbalanced closing brackets.
    """
    try:
        json.loads(arguments or "{")
    except json.JSONDecodeError as error:
        quote = '"' if error.msg.startswith("Unterminated string") else ""
        return f"{quote} <{outcome}>" + "]" * (arguments.count("[") + 1)
    return f" <{outcome}>]"


def _generation(chunk: AIMessageChunk) -> ChatGenerationChunk:
    return ChatGenerationChunk(message=chunk)


@spelled_out
def middleware(dialect: DialectLike = None, **options: Unpack[Options]) -> Any:
    """Returns middleware for `langchain.agents.create_agent` that parses the model's answers while they stream."""
    from langchain.agents.middleware import AgentMiddleware

    def reading(request: Any) -> Any:
        if isinstance(request.model, ToolglotChat):
            return request
        return request.override(model=ToolglotChat(model=request.model, dialect=dialect, options=options))

    class ToolglotMiddleware(AgentMiddleware):  # type: ignore[type-arg]
        def wrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
            return handler(reading(request))

        async def awrap_model_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
            return await handler(reading(request))

    return ToolglotMiddleware()
