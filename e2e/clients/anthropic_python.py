"""The Anthropic SDK for Python: Messages."""
import anthropic
import driver

client = driver.kept(lambda url: anthropic.Anthropic(base_url=url, api_key="none", max_retries=0, timeout=20))
FINISH = {"tool_use": "tool_calls", "end_turn": "stop", "max_tokens": "length"}


def ask(job, messages=()):
    messages = messages or [{"role": "user", "content": driver.QUESTION}]
    tools = [{"name": tool["function"]["name"], "description": tool["function"]["description"],
              "input_schema": tool["function"]["parameters"]} for tool in job["tools"]]
    request = {"model": job["model"], "max_tokens": 1000, "messages": messages, "tools": tools}
    if job["stream"]:
        with client(job).messages.stream(**request) as stream:
            message = stream.get_final_message()
    else:
        message = client(job).messages.create(**request)
    calls = [(block.id, block.name, need_object(block.input)) for block in message.content if block.type == "tool_use"]
    text = "".join(block.text for block in message.content if block.type == "text")
    content = [block.model_dump(exclude_none=True) for block in message.content]
    return calls, text, FINISH.get(message.stop_reason, message.stop_reason), [*messages, {"role": "assistant", "content": content}]


def need_object(value):
    if not isinstance(value, dict):
        raise TypeError(f"the input is {value!r}, not an object")
    return value


def tell(job, state, results):
    brought = [{"type": "tool_result", "tool_use_id": id, "content": text} for id, _, text in results]
    return ask(job, [*state, {"role": "user", "content": brought}])[1:3]


driver.run(ask, tell)
