"""The whole chain: SDKs, toolglot, a real llama-server whose model is made to write a dialect's calls.

  e2e/run engine [--only DIALECT]

Each dialect is asked for by the OpenAI and Anthropic SDKs in all three protocols, streamed and whole: of a server that speaks
Chat Completions to toolglot, and of the same server's own Responses and Messages; with a chat template that knows no tools,
and with one that does; and with the tools in the prompt. The second request of each turn brings the results; the model, which
can write nothing else, calls again, and the new calls need new ids.
"""
import argparse
import contextlib
import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))

import matrix  # noqa: E402
import model  # noqa: E402
import parts  # noqa: E402
from mock import texts  # noqa: E402

DIALECTS = ["hermes", "qwen3_coder", "llama3_json", "mistral_v11", "mistral_json", "deepseek_v3", "deepseek_v3_1", "kimi_k2", "glm45",
            "harmony", "minimax_m2", "gemma4", "granite", "command_r", "phi4_mini", "lfm2", "seed_oss", "pythonic", "longcat", "nemotron_deci"]
# What a server speaks, and whether its model's template knows tools or the prompt tells of them. Told by Messages to choose no
# tool, llama-server lets its model choose all the same, and its own parser's grammar goes before ours.
SERVERS = ["chat", "chat-tools", "chat-prompt", "responses", "responses-tools", "messages"]
CLIENTS = {"chat": "openai-python", "responses": "openai-python", "messages": "anthropic-python"}


def complaint(turn, said):
    """What is wrong with what a client made of the answer, or None."""
    if said is None:
        return "the client said nothing"
    calls = [{"name": call["name"], "arguments": call["arguments"]} for call in said["calls"]]
    after = said["after"] or {}
    found = [
        said["error"] and f"error: {said['error']}",
        calls != turn["calls"] and f"calls: {said['calls']}",
        said["text"].strip() != turn["text"] and f"text: {said['text']!r}",
        said["finish"] != "tool_calls" and f"finish: {said['finish']}",
        (after.get("error"), after.get("finish")) != (None, "tool_calls") and f"follow-up: {after}",
    ]
    return next((text for text in found if text), None)


def ask(url, written):
    """Lets each client ask for every dialect: [(what was asked, complaint)]."""
    results = []
    for protocol, name in CLIENTS.items():
        client = next(one for one in matrix.CLIENTS if (one.name, one.protocol) == (name, protocol))
        jobs = [(dialect, server, kind) for dialect in written
                for server in SERVERS if server.partition("-")[0] in ("chat", protocol) for kind in ("stream", "whole")]
        said = matrix.run_client(client, [{"base_url": url, "model": f"{dialect}/{server}", "stream": kind == "stream"}
                                          for dialect, server, kind in jobs])
        results += [(f"{dialect}: {protocol} client, {server} server, {kind}", complaint(written[dialect], said.get(at)))
                    for at, (dialect, server, kind) in enumerate(jobs)]
    return results


def examined(dialect, port):
    """What `toolglot doctor` says wrongly of a server whose model knows no tools and writes calls as text, or None."""
    ran = subprocess.run([parts.TOOLGLOT, "doctor", f"http://127.0.0.1:{port}", "--json"], capture_output=True, text=True)
    if ran.returncode != 1:
        return f"exit code {ran.returncode}: {ran.stderr}"
    found = json.loads(ran.stdout)
    read = [probe for probe in found["probes"] if probe["calls_in_text"] and probe["dialect"] == dialect]
    return None if found["engine"] == "llama.cpp" and read and found["fixes"] else ran.stdout


def upstream(dialect, server, ports):
    """A server in toolglot's settings, and the route of the models that it has."""
    protocol, _, template = server.partition("-")
    name, port = f"{dialect}/{server}", ports[dialect, "tools" if template == "tools" else "plain"]
    mode = f'mode = "prompt"\nteach = "{dialect}"\n' if template == "prompt" else ""
    return (f'[[upstream]]\nname = "{name}"\nurl = "http://127.0.0.1:{port}"\nprotocol = "{protocol}"\n'
            f'[[route]]\nmodels = ["{name}"]\nupstream = "{name}"\n{mode}')


def servers(stack, written):
    """Starts llama-servers for each dialect, one for each template; returns their ports."""
    folder, ports = parts.WORK / "engine", {}
    templates = {"plain": model.PLAIN, "tools": model.TOOLS}
    for name, template in templates.items():
        model.write(folder / f"{name}.gguf", template, [turn["answer"] for turn in written.values()])
    for seed, (dialect, turn) in enumerate(written.items()):
        text = folder / f"{dialect}.txt"
        text.write_text(turn["answer"], encoding="utf-8")
        for name in templates:
            log, port = folder / f"{dialect}-{name}.log", parts.free_port()
            command = [sys.executable, pathlib.Path(__file__).parent / "llama_server.py",
                       folder / f"{name}.gguf", port, text, seed]
            running = stack.enter_context(parts.process(command, log))
            parts.wait_for(f"http://127.0.0.1:{port}/health", running, log)
            ports[dialect, name] = port
    return ports


def main():
    flags = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    flags.add_argument("--only", default="")
    flags = flags.parse_args()

    wanted = [name for name in DIALECTS if flags.only in name]
    written = texts.write(parts.TOOLGLOT, wanted, parts.WORK)
    with contextlib.ExitStack() as stack:
        ports = servers(stack, written)
        settings = "".join(upstream(dialect, server, ports) for dialect in written for server in SERVERS)
        url, _ = stack.enter_context(parts.toolglot(settings, name="engine"))
        results = ask(url, written)
        results += [(f"{dialect}: doctor", examined(dialect, ports[dialect, "plain"])) for dialect in written]
    wrong = [(what, why) for what, why in results if why]
    for what, why in wrong:
        print(f"{what}: {why}")
    print(f"{len(written)} dialects of {len(wanted)} through llama-server")
    print(f"{len(results) - len(wrong)} passed, {len(wrong)} failed")
    sys.exit(1 if wrong or not results or len(written) < len(wanted) else 0)


if __name__ == "__main__":
    main()
