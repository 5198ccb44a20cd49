"""Random walks through every dialect's GBNF in llama.cpp's own sampler, with the vocabulary of a real model, read back by toolglot.

  e2e/run walks [--only DIALECT] [--tools "LIST LIST"] [--walks NUMBER]

Each dialect writes calls of each list of tools in crates/toolglot-grammar/tests/toolsets: calls that are demanded, and text or
calls, where the sampler waits for the marker of a call if prose has none. Each text that ends has to be read by its dialect as
complete calls, with no diagnostic, and with arguments that a validator accepts.
"""
import argparse
import collections
import json
import pathlib
import subprocess
import sys

import jsonschema

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))

import parts  # noqa: E402
import sampler  # noqa: E402
import smollm2  # noqa: E402

TOOLSETS = parts.ROOT / "crates/toolglot-grammar/tests/toolsets"
# No grammar counts names, so free objects may have one twice.
HARMLESS = {"duplicate_parameter"}
# The text before the marker that a lazy grammar waits for.
BEFORE = b"Well, let me see.\n"


def toolglot(*words, text=None):
    return subprocess.run([parts.TOOLGLOT, *map(str, words)], input=text, capture_output=True, text=True)


def grammars(dialect, tools):
    """What the sampler gets: [(choice, gbnf, trigger or None)], and what toolglot refuses, in words."""
    found, refused = [], []
    for choice, lazily in [("required", False), ("auto", True)]:
        command = ["grammar", "-d", dialect, "-t", tools, "--tool-choice", choice, "--body"]
        ran = toolglot(*command, "--lazy") if lazily else toolglot(*command)
        if lazily and ran.returncode:
            ran = toolglot(*command)
        if ran.returncode:
            refused.append(f"{dialect} {tools.stem} {choice}: {ran.stderr.strip()}")
            continue
        body = json.loads(ran.stdout)
        triggers = body.get("grammar_triggers")
        found.append((choice, body["grammar"], triggers and triggers[0]["value"]))
    return found, refused


def schemas(tools):
    functions = [tool.get("function", tool) for tool in json.loads(tools.read_text())]
    return {function["name"]: function.get("parameters") or {} for function in functions}


def wrong(said, choice, declared):
    """What is wrong with a text that was read, or None."""
    if "message" not in said:
        return f"not read: {said}"
    diagnostics = [found for found in said["diagnostics"] if found["code"] not in HARMLESS]
    calls = said["message"].get("tool_calls") or []
    if diagnostics:
        return f"diagnostic: {diagnostics[0]}"
    if said.get("incomplete_calls"):
        return "unread: a call is incomplete"
    if choice != "auto" and not calls:
        return "unread: no call"
    for call in calls:
        name, arguments = call["function"]["name"], json.loads(call["function"]["arguments"])
        if name not in declared:
            return f"unread: {name} is not declared"
        error = next(iter(jsonschema.Draft202012Validator(declared[name]).iter_errors(arguments)), None)
        if error:
            return f"schema: {error.message} in {arguments}"
    return None


def walked(vocabulary, dialect, tools, rounds):
    """Walks one dialect with one list of tools: [(choice, text or None)], and complaints."""
    found, complaints = grammars(dialect, tools)
    texts = []
    for choice, gbnf, trigger in found:
        for seed in range(rounds):
            try:
                walk = sampler.Walk(vocabulary, gbnf, seed, trigger)
            except ValueError as error:
                complaints.append(f"{dialect} {tools.stem} {choice}: {error}")
                break
            text = walk.run(BEFORE if trigger else b"")
            texts.append(("lazy" if trigger else choice, text if walk.ended else None))
    return texts, complaints


def main():
    flags = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    flags.add_argument("--only", default="")
    flags.add_argument("--tools", default="")
    flags.add_argument("--walks", type=int, default=2)
    flags = flags.parse_args()

    vocabulary = sampler.Vocabulary(smollm2.path())
    dialects = [name for name in smollm2.dialects() if flags.only in (name, "")]
    lists = [file for file in sorted(TOOLSETS.glob("*.json")) if not flags.tools or file.stem in flags.tools.split()]
    count, complaints = collections.Counter(), []
    for dialect in dialects:
        for tools in lists:
            texts, refused = walked(vocabulary, dialect, tools, flags.walks)
            complaints += [text for text in refused if "declare the parameters" not in text]
            count["left out"] += sum("declare the parameters" in text for text in refused)
            ended = [(choice, text) for choice, text in texts if text is not None]
            lines = "".join(json.dumps({"id": at, "text": text, "dialect": dialect}) + "\n" for at, (_, text) in enumerate(ended))
            said = [json.loads(line) for line in toolglot("parse", "--jsonl", "-t", tools, text=lines).stdout.splitlines()]
            declared = schemas(tools)
            for (choice, text), read in zip(ended, said, strict=True):
                count[choice] += 1
                count["calls"] += len(read.get("message", {}).get("tool_calls") or [])
                why = wrong(read, choice, declared)
                if why:
                    count[why.partition(":")[0]] += 1
                    complaints.append(f"{dialect} {tools.stem} {choice}: {why}\n    {text!r}")
            count["walks"] += len(texts)
            count["not ended"] += len(texts) - len(ended)
        print(f"{dialect}: {dict(count)}", flush=True)
    print(*complaints, sep="\n")
    print(f"{len(dialects)} dialects: {dict(count)}")
    unended = count["not ended"] / max(count["walks"], 1)
    print(f"{len(complaints)} complaints, {unended:.1%} of the walks did not end")
    sys.exit(1 if complaints or not count["walks"] or unended >= 0.02 else 0)


if __name__ == "__main__":
    main()
