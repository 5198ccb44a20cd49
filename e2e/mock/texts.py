"""Writes what models of each dialect would write for the same calls, as `toolglot render` says it."""
import json
import os
import pathlib
import subprocess

TOOLS = [
    {"type": "function", "function": {"name": "get_weather", "description": "Tells the weather in a city", "parameters": {
        "type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}}}},
    {"type": "function", "function": {"name": "get_time", "description": "Tells the time", "parameters": {
        "type": "object", "properties": {}}}},
    {"type": "function", "function": {"name": "write_file", "description": "Writes a file", "parameters": {
        "type": "object", "properties": {"path": {"type": "string"}, "content": {"type": "string"}}}}},
]
TEXT = "Let me look."
WEATHER = {"name": "get_weather", "arguments": {"city": "São Paulo", "days": 3}}
FILE = {"name": "write_file", "arguments": {"path": "a/b.py", "content": 'if a < b and c:\n\tprint("é \\ ☀ & {}")\n'}}

# From the most to the least that a dialect may be able to say.
TURNS = [{"text": text, "calls": calls} for calls in ([WEATHER, FILE], [FILE], [WEATHER]) for text in (TEXT, "")]


def message(turn):
    calls = [{"id": f"call_{n}", "type": "function", "function": {
        "name": call["name"], "arguments": json.dumps(call["arguments"], ensure_ascii=False)}}
        for n, call in enumerate(turn["calls"])]
    return {"role": "assistant", "content": turn["text"] or None, "tool_calls": calls}


def write(toolglot, dialects, folder):
    """The text of each dialect with the turn that it says; reads each again under `auto` and leaves out what differs."""
    folder = pathlib.Path(folder)
    tools = folder / "tools.json"
    tools.write_text(json.dumps(TOOLS))
    jobs = [(dialect, at) for dialect in dialects for at in range(len(TURNS))]
    lines = [json.dumps({"id": id, "dialect": dialect, "message": message(TURNS[at]), "tools": TOOLS})
             for id, (dialect, at) in enumerate(jobs)]
    found = {}
    for answer, (dialect, at) in zip(_jsonl(toolglot, "render", lines), jobs):
        if "text" in answer and dialect not in found:
            found[dialect] = {"answer": answer["text"], **TURNS[at]}
    return found


# The tools with which agents run commands, and the argument that takes one.
SHELLS = {"Bash": "command", "bash": "command", "exec_command": "cmd", "run_shell_command": "command"}


def shell(dialect, tools, command):
    """What a model of a dialect writes to run a command with the tools of an agent."""
    names = [tool["function"]["name"] for tool in tools or []]
    name = next((name for name in names if name in SHELLS), None)
    if name is None:
        return "A title"
    turn = {"text": "", "calls": [{"name": name, "arguments": {SHELLS[name]: command}}]}
    line = json.dumps({"id": 0, "dialect": dialect, "message": message(turn), "tools": tools})
    return _jsonl(os.environ["TOOLGLOT"], "render", [line])[0]["text"]


def _jsonl(toolglot, command, lines):
    run = subprocess.run([toolglot, command, "--jsonl"], input="\n".join(lines), capture_output=True, text=True)
    return [json.loads(line) for line in run.stdout.splitlines()]
