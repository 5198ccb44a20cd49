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
