"""The Ollama SDK for Python. Its calls have no ids: their indices replace them."""
import driver
import ollama

client = driver.kept(lambda url: ollama.Client(host=url, timeout=20))


def ask(job):
    return ask_chat(job, [{"role": "user", "content": driver.QUESTION}])


def tell(job, state, results):
    brought = [{"role": "tool", "tool_name": name, "content": text} for _, name, text in results]
    return ask_chat(job, [*state, *brought])[1:3]


def ask_chat(job, messages):
    request = {"model": job["model"], "messages": messages, "tools": job["tools"]}
    answer = client(job).chat(**request, stream=job["stream"])
    parts = list(answer) if job["stream"] else [answer]
    text = "".join(part.message.content or "" for part in parts)
    made = [call for part in parts for call in part.message.tool_calls or []]
    calls = [(str(at), call.function.name, dict(call.function.arguments)) for at, call in enumerate(made)]
    said = {"role": "assistant", "content": text, "tool_calls": made}
    return calls, text, "tool_calls" if calls else parts[-1].done_reason, [*messages, said]


driver.run(ask, tell)
