"""The OpenAI SDK for Python: Chat Completions and Responses."""
import driver
import openai

client = driver.kept(lambda url: openai.OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0, timeout=20))
FINISH = {"completed": "stop", "incomplete": "length"}


def ask(job):
    asked = ask_chat if job["protocol"] == "chat" else ask_responses
    return asked(job, [{"role": "user", "content": driver.QUESTION}])


def tell(job, state, results):
    if job["protocol"] == "chat":
        brought = [{"role": "tool", "tool_call_id": id, "content": text} for id, _, text in results]
        return ask_chat(job, [*state, *brought])[1:3]
    brought = [{"type": "function_call_output", "call_id": id, "output": text} for id, _, text in results]
    return ask_responses(job, [*state, *brought])[1:3]


def ask_chat(job, messages):
    # The SDK's own accumulator takes strict tools only.
    tools = [{"type": "function", "function": tool["function"] | {"strict": True}} for tool in job["tools"]]
    request = {"model": job["model"], "messages": messages, "tools": tools}
    if job["stream"]:
        with client(job).chat.completions.stream(**request) as stream:
            completion = stream.get_final_completion()
    else:
        completion = client(job).chat.completions.create(**request)
    choice = completion.choices[0]
    calls = [(call.id, call.function.name, driver.arguments(call.function.arguments))
             for call in choice.message.tool_calls or [] if need_function(call)]
    return calls, choice.message.content or "", choice.finish_reason, [*messages, choice.message]


def need_function(call):
    if call.type != "function":
        raise TypeError(f"the type of a call is {call.type!r}")
    return True


def ask_responses(job, items):
    tools = [{"type": "function", **tool["function"], "strict": True} for tool in job["tools"]]
    request = {"model": job["model"], "input": items, "tools": tools, "store": False}
    if job["stream"]:
        with client(job).responses.stream(**request) as stream:
            response = stream.get_final_response()
    else:
        response = client(job).responses.create(**request)
    calls = [(item.call_id, item.name, driver.arguments(item.arguments))
             for item in response.output if item.type == "function_call"]
    finish = "tool_calls" if calls else FINISH.get(response.status, response.status)
    return calls, response.output_text, finish, [*items, *response.output]


driver.run(ask, tell)
