"""LangChain's own classes around a chat model that writes its calls as text."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from streams import TOOLS, Stream, finished, streams

pytest.importorskip("langchain_core")

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult

import toolglot
import toolglot.langchain


class Writes(BaseChatModel):
    """Says its pieces."""

    pieces: tuple[str, ...]

    @property
    def _llm_type(self) -> str:
        return "writes"

    def _generate(self, messages: Any, stop: Any = None, run_manager: Any = None, **_: Any) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=AIMessage("".join(self.pieces)))])

    def _stream(self, messages: Any, stop: Any = None, run_manager: Any = None, **_: Any) -> Any:
        for piece in self.pieces:
            yield ChatGenerationChunk(message=AIMessageChunk(content=piece))


def chat(stream: Stream) -> Any:
    inner = Writes(pieces=stream.pieces)
    return toolglot.langchain.ToolglotChat(model=inner, dialect=stream.dialect).bind_tools(TOOLS)


def expected(stream: Stream) -> list[tuple[str, Any]]:
    message = toolglot.parse(stream.text, tools=TOOLS, dialect=stream.dialect)
    return [(call.name, call.args) for call in message.calls]


@pytest.mark.parametrize("stream", streams(), ids=lambda stream: stream.name)
def test_streams_and_whole_answers_are_as_parse_says(stream: Stream) -> None:
    wanted = expected(stream)
    cut = len(toolglot.parse(stream.text, tools=TOOLS, dialect=stream.dialect).incomplete)
    message = chat(stream).invoke("x")
    assert [(call["name"], call["args"]) for call in message.tool_calls] == wanted
    assert len(message.invalid_tool_calls) == cut
    whole = None
    for chunk in chat(stream).stream("x"):
        whole = chunk if whole is None else whole + chunk
    assert whole is not None
    assert [(call["name"], call["args"]) for call in whole.tool_calls] == wanted
    assert len(whole.invalid_tool_calls) == cut


def test_asynchronous_streams() -> None:
    stream = streams()[0]

    async def ask() -> Any:
        return [chunk async for chunk in chat(stream).astream("x")]

    names = [call["name"] for chunk in asyncio.run(ask()) for call in chunk.tool_call_chunks if call["name"]]
    assert names == [name for name, _ in finished(stream)]


def test_an_agent_runs_the_calls() -> None:
    agents = pytest.importorskip("langchain.agents")
    ran = []

    def ping() -> str:
        """Says that it is there."""
        ran.append("ping")
        return "pong"

    class Twice(Writes):
        said: list[int] = []

        def _generate(self, messages: Any, stop: Any = None, run_manager: Any = None, **_: Any) -> ChatResult:
            self.said.append(1)
            text = self.pieces[0] if len(self.said) == 1 else "Done."
            return ChatResult(generations=[ChatGeneration(message=AIMessage(text))])

        def bind_tools(self, tools: Any, **_: Any) -> Any:
            return self

    model = Twice(pieces=('<tool_call>{"name": "ping", "arguments": {}}</tool_call>',))
    agent = agents.create_agent(model, [ping], middleware=[toolglot.langchain.middleware()])
    messages = agent.invoke({"messages": [("user", "ping")]})["messages"]
    assert ran == ["ping"] and messages[-1].content == "Done."


TEXT = 'Let me see.\n<tool_call>{"name": "ping", "arguments": {}}</tool_call>'


class Talks(Writes):
    """Calls once, then is done."""

    said: list[int] = []

    def _stream(self, messages: Any, stop: Any = None, run_manager: Any = None, **_: Any) -> Any:
        self.said.append(1)
        text = TEXT if len(self.said) == 1 else "All is done."
        for at in range(0, len(text), 5):
            chunk = ChatGenerationChunk(message=AIMessageChunk(content=text[at : at + 5]))
            if run_manager:
                run_manager.on_llm_new_token(chunk.text, chunk=chunk)
            yield chunk

    def bind_tools(self, tools: Any, **_: Any) -> Any:
        return self


@pytest.mark.parametrize("how", ["wrapper", "middleware"])
@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
def test_a_graph_streams_every_token_once(how: str, is_async: bool) -> None:
    agents = pytest.importorskip("langchain.agents")
    ran = []

    def ping() -> str:
        """Says that it is there."""
        ran.append("ping")
        return "pong"

    inner = Talks(pieces=(), said=[])
    if how == "wrapper":
        agent = agents.create_agent(toolglot.langchain.ToolglotChat(model=inner), [ping])
    else:
        agent = agents.create_agent(inner, [ping], middleware=[toolglot.langchain.middleware()])
    asked = {"messages": [("user", "ping")]}

    async def heard() -> list[Any]:
        return [message async for message, _ in agent.astream(asked, stream_mode="messages")]

    if is_async:
        messages = asyncio.run(heard())
    else:
        messages = [message for message, _ in agent.stream(asked, stream_mode="messages")]
    said = [message for message in messages if isinstance(message, AIMessageChunk)]
    assert "".join(message.content for message in said) == "Let me see.\nAll is done."
    names = [call["name"] for message in said for call in message.tool_call_chunks if call["name"]]
    assert names == ["ping"] and ran == ["ping"]
