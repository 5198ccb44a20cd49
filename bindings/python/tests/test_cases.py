"""Every case of the core through the package: whole, one character at a time, in random pieces."""

from __future__ import annotations

import json
import os
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import toolglot

CASES = Path(os.environ.get("TOOLGLOT_CASES", "cases.json"))


def cases() -> list[dict[str, Any]]:
    if not CASES.is_file():
        pytest.exit(f"there are no cases at {CASES}; write them with `cargo xtask cases`", returncode=2)
    found: list[dict[str, Any]] = json.loads(CASES.read_text(encoding="utf-8"))
    return found


ALL = cases()


def data(case: dict[str, Any]) -> bytes:
    return case["input"].encode() if "input" in case else bytes.fromhex(case["input_hex"])


def parser(case: dict[str, Any]) -> toolglot.Parser:
    return toolglot.Parser(tools=case["tools"], dialect=case["dialects"], **case["options"])


def pieces(case: dict[str, Any], cuts: list[int]) -> list[tuple[bool, bytes]]:
    """Cuts the input; special tokens are pieces of their own."""
    whole, tokens = data(case), {start: end for start, end in case["special"]}
    inside = {at for start, end in tokens.items() for at in range(start + 1, end)}
    places = {0, len(whole), *tokens, *tokens.values(), *(at for at in cuts if at not in inside)}
    ordered = sorted(places)
    return [(start in tokens, whole[start:end]) for start, end in zip(ordered, ordered[1:], strict=False)]


def fed(case: dict[str, Any], used: toolglot.Parser, cuts: list[int]) -> tuple[list[dict[str, Any]], list[Any]]:
    """Feeds a case; returns the events, joined as the cases have them, and the diagnostics."""
    events: list[Any] = []
    for special, piece in pieces(case, cuts):
        try:
            text: str | bytes = piece.decode()
        except UnicodeDecodeError:
            text = piece
        events += used.push_special(piece.decode()) if special else used.push(text)
    events += used.finish()
    found = sorted((e.start, e.end, e.code, e.message) for e in events if isinstance(e, toolglot.Diagnostic))
    return joined([event.to_dict() for event in events if not isinstance(event, toolglot.Diagnostic)]), found


def joined(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    out: list[dict[str, Any]] = []
    for event in events:
        key = {"text": "text", "reasoning": "text", "arguments": "json"}.get(event["type"])
        last = out[-1] if out else {}
        if key and last.get("type") == event["type"] and last.get("index") == event.get("index"):
            last[key] += event[key]
            last["end"] = event["end"]
        else:
            out.append(event)
    return out


def expected(case: dict[str, Any]) -> list[Any]:
    return sorted((d["start"], d["end"], d["code"], d["message"]) for d in case["diagnostics"])


def test_there_are_cases() -> None:
    assert len(ALL) > 5000
    assert any(case["special"] for case in ALL) and any("input_hex" in case for case in ALL)


def test_whole_and_in_pieces() -> None:
    dice = random.Random(int(os.environ.get("CHUNK_SEED", "1")))
    for case in ALL:
        used, size = parser(case), len(data(case))
        ways = [[], list(range(1, size)), *(sorted(dice.sample(range(size), min(size, n))) for n in (1, 5, 17))]
        for cuts in ways:
            events, found = fed(case, used, cuts)
            assert events == case["events"], (case["name"], cuts)
            assert [note[:3] for note in found] == [note[:3] for note in expected(case)], (case["name"], cuts)
            if not cuts:
                assert found == expected(case), case["name"]
                assert used.dialect == case["message"]["dialect"], case["name"]


def test_messages() -> None:
    for case in ALL:
        if case["special"]:
            continue
        text = case.get("input", data(case))
        message = toolglot.parse(text, tools=case["tools"], dialect=case["dialects"], **case["options"])
        told = message.to_dict()
        assert {key: told[key] for key in case["message"]} == case["message"], case["name"]
        missed = [(d.start, d.end, d.message) for d in message.diagnostics if d.code == "near_miss"]
        wanted = case["near_miss"]
        assert missed == ([(wanted["start"], wanted["end"], wanted["message"])] if wanted else []), case["name"]
        used = parser(case)
        used.push(text)
        used.finish()
        assert without_ids(used.message()) == without_ids(message), case["name"]


def without_ids(message: toolglot.Message) -> toolglot.Message:
    """A parser draws what ids are made from."""
    return replace(message, calls=tuple(replace(call, id="") for call in message.calls))


def test_many_are_as_one() -> None:
    plain = [case for case in ALL if not case["special"] and not case["options"] and case["dialects"] is None]
    by_tools: dict[str | None, list[dict[str, Any]]] = {}
    for case in plain:
        by_tools.setdefault(case["tools"], []).append(case)
    for tools, group in by_tools.items():
        messages = toolglot.parse_many([case.get("input", data(case)) for case in group], tools=tools, threads=3)
        for case, message in zip(group, messages, strict=True):
            assert {key: message.to_dict()[key] for key in case["message"]} == case["message"], case["name"]
