"""Runs every client against every answer, through toolglot and without it, and compares with what is due.

  e2e/run clients [--update] [--only WORD] [--client NAME] [--direct]

Prints what is wrong and writes .work/clients.json with every result. e2e/results/clients.md is made from the results: it is
compared, or written with --update. --only takes the cases whose name has the word; --direct leaves toolglot out and
shows what clients do on their own. Neither looks at the document.
"""
import argparse
import collections
import concurrent.futures
import contextlib
import dataclasses
import json
import subprocess
import sys

import matrix_page
import parts
import upstream
from mock import texts, variants

PYTHON = [parts.WORK / "clients/python/bin/python"]
NODE = [parts.WORK / "clients/node/node_modules/.bin/node"]


@dataclasses.dataclass(frozen=True)
class Client:
    name: str
    protocol: str
    command: tuple


def _client(name, protocol, runtime, driver):
    folder = parts.E2E / "clients" if runtime is PYTHON else parts.WORK / "clients/node"
    return Client(name, protocol, (*runtime, folder / driver))


CLIENTS = [
    _client("openai-python", "chat", PYTHON, "openai_python.py"),
    _client("openai-node", "chat", NODE, "openai_node.mjs"),
    _client("ai-openai-compatible", "chat", NODE, "ai_sdk.mjs"),
    _client("ai-openai-chat", "chat", NODE, "ai_sdk.mjs"),
    _client("langchain-openai", "chat", PYTHON, "langchain_python.py"),
    _client("anthropic-python", "messages", PYTHON, "anthropic_python.py"),
    _client("anthropic-node", "messages", NODE, "anthropic_node.mjs"),
    _client("ai-anthropic", "messages", NODE, "ai_sdk.mjs"),
    _client("langchain-anthropic", "messages", PYTHON, "langchain_python.py"),
    _client("openai-python", "responses", PYTHON, "openai_python.py"),
    _client("openai-node", "responses", NODE, "openai_node.mjs"),
    _client("ai-openai", "responses", NODE, "ai_sdk.mjs"),
    _client("ollama-python", "ollama", PYTHON, "ollama_python.py"),
    _client("ollama-node", "ollama", NODE, "ollama_node.mjs"),
]

# Dialects whose text a client gets as calls; the core's own tests have all of them.
DIALECTS = ["hermes", "qwen3_coder", "llama3_json", "mistral_v11", "deepseek_v3_1", "kimi_k2", "glm45", "harmony", "minimax_m2",
            "pythonic", "gemma4", "anthropic_invoke"]


@dataclasses.dataclass(frozen=True)
class Case:
    """An answer of a server that speaks `server`, and whether it is streamed."""
    server: str
    kind: str
    model: str
    what: str
    expected: dict = dataclasses.field(hash=False, compare=False)

    @property
    def name(self):
        return f"{self.server}/{self.kind}/{self.model}"


def cases(written):
    for dialect, turn in written.items():
        for kind in ("stream", "whole"):
            due = {"due": "calls", "calls": turn["calls"], "text": turn["text"], "finish": "tool_calls"}
            yield Case("chat", kind, f"text/{dialect}", dialect, due)
            yield Case("chat", kind, f"prompt/{dialect}", dialect, due)
    for (protocol, kind, name), variant in variants.load().items():
        yield Case(protocol, kind, f"native/{name}", variant.what, variant.expected())


def complaint(case, said):
    """What is wrong with what a client made of a case, or None."""
    due = case.expected
    if said is None:
        return "the client said nothing"
    if due["due"] != "calls" and said["error"]:
        return None
    if due["due"] == "error":
        return "no error reached the client"
    ids = [call["id"] for call in said["calls"]]
    after = said["after"] or {}
    found = [
        said["error"] and f"error: {said['error']}",
        [{"name": call["name"], "arguments": call["arguments"]} for call in said["calls"]] != due["calls"]
        and f"calls: {json.dumps(said['calls'], ensure_ascii=False)}",
        not (all(ids) and len(set(ids)) == len(ids)) and f"ids: {ids}",
        said["finish"] != due["finish"] and f"finish: {said['finish']}",
        said["text"].strip() != due["text"] and f"text: {said['text']!r}",
        after.get("error") and f"follow-up: {after['error']}",
        (after.get("text"), after.get("finish")) != (upstream.ANSWER, "stop") and f"follow-up: {after}",
    ]
    return next((text for text in found if text), None)


def run_client(client, jobs):
    """Lets one process do all jobs; returns what it said by job."""
    lines = "".join(json.dumps(job | {"id": at, "client": client.name, "protocol": client.protocol, "tools": texts.TOOLS}) + "\n"
                    for at, job in enumerate(jobs))
    with contextlib.suppress(subprocess.TimeoutExpired):
        done = subprocess.run([str(word) for word in client.command], input=lines, capture_output=True, text=True, timeout=900)
        log = parts.WORK / f"{client.name}-{client.protocol}.log"
        log.write_text(done.stderr)
        said = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        return {one["id"]: one for one in said}
    return {}


def run(clients, all_cases, direct, through):
    """Runs every client on every case that concerns it: [(client, case, way, complaint)]."""
    def work(client):
        jobs = [(case, way, urls[case.server]) for case in all_cases for way, urls in (("direct", direct), ("through", through))
                if urls and (way == "through" and case.server in ("chat", client.protocol) or case.server == client.protocol)]
        said = run_client(client, [{"base_url": url, "model": case.model, "stream": case.kind == "stream",
                                    "remembers": case.server != client.protocol} for case, _, url in jobs])
        return [(client, case, way, complaint(case, said.get(at))) for at, (case, way, _) in enumerate(jobs)]

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return [result for results in pool.map(work, clients) for result in results]


def main():
    flags = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    flags.add_argument("--update", action="store_true")
    flags.add_argument("--only", default="")
    flags.add_argument("--client", default="")
    flags.add_argument("--direct", action="store_true")
    flags = flags.parse_args()

    written = texts.write(parts.TOOLGLOT, DIALECTS, parts.WORK)
    missing = set(DIALECTS) - set(written)
    if missing:
        sys.exit(f"`toolglot render` cannot write {', '.join(sorted(missing))}")
    all_cases = [case for case in cases(written) if flags.only in case.name]
    clients = [client for client in CLIENTS if flags.client in client.name]
    with contextlib.ExitStack() as stack:
        direct = stack.enter_context(parts.upstream(written))
        through = {} if flags.direct else {
            protocol: stack.enter_context(parts.toolglot(parts.server(direct, protocol) + parts.prompted("prompt", written), f"toolglot-{protocol}"))[0]
            for protocol in ("chat", "messages", "responses")}
        results = run(clients, all_cases, dict.fromkeys(("chat", "messages", "responses"), direct), through)
    sys.exit(report(results, flags))


def report(results, flags):
    (parts.WORK / "clients.json").write_text(json.dumps([
        {"client": client.name, "protocol": client.protocol, "case": case.name, "way": way, "wrong": wrong}
        for client, case, way, wrong in results], indent=1, ensure_ascii=False))
    wanted = "direct" if flags.direct else "through"
    wrong = [(client, case, why) for client, case, way, why in results if way == wanted and why]
    for client, case, why in wrong:
        print(f"{client.name} ({client.protocol}) on {case.name}: {' '.join(why.split())}")
    counted = collections.Counter(bool(why) for _, _, way, why in results if way == wanted)
    is_page_right = True
    if not (flags.direct or flags.only or flags.client):
        is_page_right = matrix_page.check(results, flags.update)
    print(f"{counted[False]} passed, {counted[True]} failed")
    return 0 if not wrong and is_page_right else 1


if __name__ == "__main__":
    main()
