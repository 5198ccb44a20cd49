"""What a server without tool support gets: tools, calls and results only in the text of its messages."""
import json
import re

from mock import texts
from mock.history import need

# The models of such a server, by the first word of their name.
FAMILIES = ("prompt", "told")
TOOLS = ("tools", "tool_choice", "parallel_tool_calls", "functions", "function_call")


def messages(request):
    """Roles and texts of a request; one with anything of tools is refused as Ollama refuses it."""
    found = request["messages"]
    is_plain = all(set(message) <= {"role", "content", "name"} and message["role"] != "tool" for message in found)
    need(is_plain and not set(TOOLS) & set(request), f"{request['model']} does not support tools")
    return [(message["role"], _text(message["content"])) for message in found]


def is_follow_up(request, calls):
    """Returns whether the results of calls are present, the tools are described before them, and the calls are in their places."""
    said = messages(request)
    told = "".join(text for role, text in said if role != "assistant")
    for tool in texts.TOOLS:
        function = tool["function"]
        for word in (function["name"], *function["parameters"]["properties"]):
            need(word in told, f"the prompt does not tell of {word}")
    answers = [at for at, (role, _) in enumerate(said) if role == "assistant"]
    if not answers:
        return False
    for call in calls:
        need(_stands(call, said[answers[-1]][1]), f"the call of {call['name']} is not in the history: {said[answers[-1]][1]!r}")
    results = "".join(text for _, text in said[answers[-1] + 1:])
    need(results.count("sunny") == len(calls), f"the results of {len(calls)} calls are {results!r}")
    return True


def command(dialect, request, shell):
    """What a model of a dialect says to an agent: the call of its shell tool, a title, or None once that has run."""
    said = messages(request)
    answers = [at for at, (role, _) in enumerate(said) if role == "assistant"]
    if answers and any("sunny" in text for _, text in said[answers[-1] + 1:]):
        return None
    told = "".join(text for _, text in said)
    names = [name for name in texts.SHELLS if re.search(rf'("name":\s*"|<name>){name}["<]', told)]
    return texts.shell(dialect, [{"type": "function", "function": {"name": name}} for name in names], shell)


def _stands(call, text):
    values = [value if isinstance(value, str) else json.dumps(value) for value in call["arguments"].values()]
    return call["name"] in text and all(any(form in text for form in _forms(value)) for value in values)


def _forms(value):
    """A value as raw text, as a JSON string in both ways, and as a Python string."""
    return [value, json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1], repr(value)[1:-1]]


def _text(content):
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content or [])
