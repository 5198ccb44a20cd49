"""Reads messages with response templates, as the library transformers does, and compares calls and text.

Takes a dialect with its template and its messages on each line of its input.
"""

import json
import sys

from transformers.utils.chat_parsing.response_parser import parse_response

LEAST = 40


def plain(text):
    return "".join((text or "").split())


def said(message):
    calls = [call["function"] for call in message.get("tool_calls") or []]
    calls = [{"name": call["name"], "arguments": call["arguments"]} for call in calls]
    return calls, plain(message.get("content")), plain(message.get("thinking"))


def differs(case, template, tools):
    try:
        found = said(parse_response(case["text"], template, prefix="", tools=tools))
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    wanted = case["calls"], plain(case["content"]), plain(case["reasoning"])
    return None if found == wanted else f"read {found}"


def main():
    read, refused, wrong = [], [], []
    for line in sys.stdin:
        row = json.loads(line)
        name = row["dialect"]
        if "refused" in row:
            refused.append(f"{name}: {row['refused']}")
            continue
        faults = [(case["text"], differs(case, row["template"], row["tools"])) for case in row["cases"]]
        faults = [fault for fault in faults if fault[1]]
        if faults or not row["cases"]:
            text, why = faults[0] if faults else ("", "no messages")
            wrong.append(f"{name}: {len(faults)} of {len(row['cases'])}\n  {text!r}\n  {why}\n  {json.dumps(row['template']['fields'], ensure_ascii=False)}")
        else:
            read.append(name)
    print("\n".join(["refused:"] + refused + ["read otherwise:"] + wrong))
    print(f"{len(read)} dialects are read as by toolglot, {len(wrong)} otherwise, {len(refused)} refused")
    return 0 if len(read) >= LEAST and not wrong else 1


sys.exit(main())
