"""LangChain for Python: its OpenAI and Anthropic integrations."""
import functools

import driver
from langchain_anthropic import ChatAnthropic
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_openai import ChatOpenAI

FINISH = {"tool_use": "tool_calls", "end_turn": "stop", "max_tokens": "length"}


@functools.lru_cache(maxsize=None)
def model(url, protocol, name):
    if protocol == "messages":
        return ChatAnthropic(base_url=url, model=name, api_key="none", max_retries=0, timeout=20, max_tokens=1000)
    return ChatOpenAI(base_url=f"{url}/v1", model=name, api_key="none", max_retries=0, timeout=20)


def ask(job, messages=()):
    messages = messages or [HumanMessage(driver.QUESTION)]
    bound = model(job["base_url"], job["protocol"], job["model"]).bind_tools(job["tools"])
    message = functools.reduce(lambda whole, chunk: whole + chunk, bound.stream(messages)) if job["stream"] else bound.invoke(messages)
    if message.invalid_tool_calls:
        raise ValueError(f"invalid_tool_calls: {message.invalid_tool_calls}")
    calls = [(call["id"], call["name"], call["args"]) for call in message.tool_calls]
    finish = message.response_metadata.get("finish_reason") or message.response_metadata.get("stop_reason")
    return calls, message.text, FINISH.get(finish, finish), [*messages, message]


def tell(job, state, results):
    return ask(job, [*state, *(ToolMessage(text, tool_call_id=id, name=name) for id, name, text in results)])[1:3]


driver.run(ask, tell)
