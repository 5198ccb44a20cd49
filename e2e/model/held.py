"""A real model, held to a grammar and free: llama-server with SmolLM2, the proxy, and the openai client.

  e2e/run model [--prompts NUMBER] [--only demanded|pasted|free]

Under `tool_choice: required` every answer has to be a call whose arguments validate, whole and streamed; where several calls are
allowed, a model as small as this one calls until it reaches its limit, and what it finished has to validate. Ten dialects' GBNF
is given to llama-server without the proxy and without reasoning, which this model was not trained on, and what comes back is
read. Free, in prompt mode, the model writes what it likes: the
client gets all of it.
"""
import argparse
import contextlib
import json
import pathlib
import subprocess
import sys
import time
import urllib.request

import jsonschema
import openai

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))

import parts  # noqa: E402
import smollm2  # noqa: E402

HERE = pathlib.Path(__file__).parent
TOOLS = HERE / "tools.json"
DIALECTS = ["hermes", "qwen3_coder", "llama3_json", "mistral_v11", "deepseek_v3", "glm45", "minimax_m2", "pythonic", "gemma4", "kimi_k2"]
TAUGHT = ["hermes", "qwen3_coder", "pythonic", "glm45"]
PROMPTS = [
    "What is the weather in Paris?", "Will it rain in Tokyo tomorrow?", "Weather for Oslo, in celsius, for three days.",
    "Mail Ada that the meeting is at noon.", "Which files are in /tmp?", "List the files of my home folder.",
    "Tell bob@example.com and eve@example.com: lunch is ready. It is urgent.", "How hot is it in Cairo, in fahrenheit?",
    "Show me what is in the folder src.", "Send a mail to the whole team with the subject Friday.", "Do I need an umbrella in London?",
    "Write to ann@example.com about the \"new\" contract <draft 2>.", "What is in C:\\Users\\me?", "Is it snowing in Zürich?",
    "Hello, how are you?", "Tell me a joke.", "What is 2 + 2?", "Explain gravity in one sentence.",
    "Weather in 東京, please.", "List /etc, and then mail root about it.",
]
SETTINGS = """[[upstream]]
url = "{url}"
[[route]]
models = ["held"]
mode = "prompt"
enforce = "auto"
[[route]]
models = ["held-auto"]
mode = "auto"
enforce = "auto"
"""
FREE = '[[route]]\nmodels = ["free/{dialect}"]\nmode = "prompt"\nteach = "{dialect}"\n'


def schemas():
    return {tool["function"]["name"]: tool["function"]["parameters"] for tool in json.loads(TOOLS.read_text())}


def complaint(calls, finish, finishes=("tool_calls",)):
    """What is wrong with calls that were demanded, or None."""
    declared = schemas()
    if finish == "length":
        # The last call may be cut off, and a client that streams sees its beginning.
        calls = [call for call in calls[:-1]] + [call for call in calls[-1:] if call[1].endswith("}")]
    if not calls or finish not in finishes:
        return f"{len(calls)} calls, finish {finish}"
    for name, arguments in calls:
        try:
            jsonschema.validate(json.loads(arguments), declared[name])
        except (KeyError, ValueError, jsonschema.ValidationError) as error:
            return f"{name} {arguments}: {error}"
    return None


def ask(client, model, prompt, streamed, seed, **more):
    """What the openai client makes of an answer: text, calls, finish."""
    request = {"model": model, "messages": [{"role": "user", "content": prompt}], "tools": json.loads(TOOLS.read_text()),
               "seed": seed, **more}
    if not streamed:
        choice = client.chat.completions.create(**request).choices[0]
        calls = [(call.function.name, call.function.arguments) for call in choice.message.tool_calls or []]
        return choice.message.content or "", calls, choice.finish_reason
    text, calls, finish = "", [], None
    for chunk in client.chat.completions.create(**request, stream=True):
        for choice in chunk.choices:
            text += choice.delta.content or ""
            finish = choice.finish_reason or finish
            for call in choice.delta.tool_calls or []:
                if call.index == len(calls):
                    calls.append(["", ""])
                calls[call.index][0] += call.function.name or ""
                calls[call.index][1] += call.function.arguments or ""
    return text, [tuple(call) for call in calls], finish


def demanded(client, prompts):
    """Calls under `tool_choice: required`: [complaint or None]."""
    results = []
    for at, prompt in enumerate(prompts):
        for model, streamed, one in [("held", False, True), ("held", True, True), ("held-auto", at % 2 == 0, False)]:
            more = {"parallel_tool_calls": False} if one else {}
            _, calls, finish = ask(client, model, prompt, streamed, at, tool_choice="required", max_tokens=400, **more)
            cut = not one and finish == "length"
            # Cut off, the answer may hold the beginning of its first call, or the model may have reasoned until then.
            why = None if cut and len(calls) < 2 else complaint(calls, finish, ("tool_calls", "length") if cut else ("tool_calls",))
            why = why or (one and len(calls) != 1 and f"{len(calls)} calls")
            results.append(why and f"required, {model}, streamed {streamed}, {prompt!r}: {why}")
    return results


def toolglot(*words, text=None):
    return subprocess.run([parts.TOOLGLOT, *map(str, words)], input=text, capture_output=True, text=True)


def post(url, body):
    request = urllib.request.Request(f"{url}/v1/chat/completions", json.dumps(body).encode(), {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=600) as answer:
        return json.load(answer)["choices"][0]


def pasted(url, prompts):
    """The GBNF of dialects, as `toolglot grammar --body` prints it, put into requests to llama-server: [complaint or None]."""
    results = []
    for dialect in DIALECTS:
        body = json.loads(toolglot("grammar", "-d", dialect, "-t", TOOLS, "--tool-choice", "required", "--no-parallel",
                                   "--reasoning", "none", "--body").stdout)
        for at, prompt in enumerate(prompts):
            body |= {"messages": [{"role": "user", "content": prompt}], "seed": at, "max_tokens": 400}
            choice = post(url, body)
            text = choice["message"]["content"]
            read = json.loads(toolglot("parse", "-d", dialect, "-t", TOOLS, text=text).stdout)
            calls = [(call["function"]["name"], call["function"]["arguments"]) for call in read.get("tool_calls") or []]
            why = complaint(calls, read["finish_reason"])
            results.append(why and f"{dialect}, {prompt!r}: {why} in {text!r}")
    return results


def newest(captures, before):
    """The exchange that was kept last, beside those before; its file is written after the answer."""
    while True:
        files = sorted(captures.glob("*.json"))
        with contextlib.suppress(ValueError):
            if len(files) > before:
                return json.loads(files[-1].read_text())
        time.sleep(0.05)


def spoken(answer, streamed):
    """The text of a server's answer."""
    if not streamed:
        return json.loads(answer)["choices"][0]["message"]["content"] or ""
    events = [json.loads(line[6:]) for line in answer.splitlines() if line.startswith("data: {")]
    return "".join(choice["delta"].get("content") or "" for event in events for choice in event["choices"])


def free(client, prompts, captures):
    """What the model writes in prompt mode when nothing holds it: [complaint or None], and how many answers had calls."""
    results, called = [], 0
    for dialect in TAUGHT:
        for at, prompt in enumerate(prompts):
            streamed = at % 2 == 0
            before = len(list(captures.glob("*.json")))
            text, calls, finish = ask(client, f"free/{dialect}", prompt, streamed, at, max_tokens=120)
            written = spoken(newest(captures, before)["answer"], streamed)
            called += bool(calls)
            if calls:
                read = json.loads(toolglot("parse", "-d", dialect, "-t", TOOLS, text=written).stdout)
                same = calls == [(call["function"]["name"], call["function"]["arguments"]) for call in read["tool_calls"]]
                why = None if same else f"{calls} of {written!r}"
            else:
                why = None if text == written and finish in ("stop", "length") else f"{text!r}, {finish}, of {written!r}"
            results.append(why and f"free, {dialect}, streamed {streamed}, {prompt!r}: {why}")
    return results, called


def main():
    flags = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    flags.add_argument("--prompts", type=int, default=len(PROMPTS))
    flags.add_argument("--only", choices=["demanded", "pasted", "free"])
    flags = flags.parse_args()

    prompts, work = PROMPTS[:flags.prompts], parts.WORK / "model"
    captures, log, port = work / "captures", work / "llama-server.log", parts.free_port()
    captures.mkdir(parents=True, exist_ok=True)
    for old in captures.glob("*.json"):
        old.unlink()
    with contextlib.ExitStack() as stack:
        server = [sys.executable, parts.E2E / "engine/llama_server.py", smollm2.path(), port]
        running = stack.enter_context(parts.process(server, log))
        url = f"http://127.0.0.1:{port}"
        parts.wait_for(f"{url}/health", running, log)
        settings = f'capture = "all"\ncaptures = "{captures}"\n' + SETTINGS.format(url=url)
        settings += "".join(FREE.format(dialect=dialect) for dialect in TAUGHT)
        base, _ = stack.enter_context(parts.toolglot(settings, name="model"))
        client = openai.OpenAI(base_url=f"{base}/v1", api_key="none", timeout=900, max_retries=0)
        held = demanded(client, prompts) if flags.only in (None, "demanded") else []
        direct = pasted(url, prompts[:2]) if flags.only in (None, "pasted") else []
        loose, called = free(client, prompts[:5], captures) if flags.only in (None, "free") else ([], 0)
    wrong = [why for why in held + direct + loose if why]
    print(*wrong, sep="\n")
    for about, results in [("demanded through the proxy", held), ("grammars in llama-server", direct), ("free in prompt mode", loose)]:
        print(f"{about}: {sum(not why for why in results)} of {len(results)}")
    print(f"free, {called} of {len(loose)} answers had a call")
    sys.exit(1 if wrong or not held + direct + loose else 0)


if __name__ == "__main__":
    main()
