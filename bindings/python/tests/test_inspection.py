"""How every byte was read: the core's result for every case, and dialect files from examples."""

from __future__ import annotations

from typing import Any

import pytest
import toolglot
from test_cases import ALL, data

MINE = "::ls:: {\"path\": \"/\"} ::end::"


def test_every_inspection_is_the_cores() -> None:
    checked = 0
    for case in (case for case in ALL if "inspection" in case):
        text = case.get("input", data(case))
        found = toolglot.inspect(text, tools=case["tools"], dialect=case["dialects"], **case["options"])
        assert as_exported(found) == case["inspection"], case["name"]
        told = found.message.to_dict()
        assert {key: told[key] for key in case["message"]} == case["message"], case["name"]
        checked += 1
    assert checked > 5000


def as_exported(found: toolglot.Inspection) -> dict[str, Any]:
    why = [[w.reason, w.message, w.start, w.end, w.fix and [w.fix.kind, w.fix.value]] for w in found.why]
    repairs = [[r.code, r.class_, r.message, r.before, r.after, r.start, r.end] for r in found.repairs]
    return {
        "spans": [[span.kind, span.call, span.start, span.end] for span in found.spans],
        "repairs": repairs,
        "arrivals": [[event.at, event.event, event.call, event.text] for event in found.arrivals],
        "held": [list(pair) for pair in found.held],
        "why": why,
    }


def test_steps_are_those_of_explain() -> None:
    text = 'Hi. <tool_call>{"name": "ls", "arguments": {}}</tool_call>'
    assert {*map(str, toolglot.inspect(text).steps)} >= {*map(str, toolglot.explain(text))}


def test_a_remedy_finds_the_call() -> None:
    [why] = toolglot.inspect('[get_weather(city="Oslo")]').why
    assert (why.reason, why.fix) == ("no_tools", toolglot.Remedy("tools", "get_weather"))
    assert toolglot.inspect('[get_weather(city="Oslo")]', tools=[{"name": "get_weather"}]).message.calls


def test_an_example_makes_a_dialect() -> None:
    call = toolglot.Call("", "ls", '{"path": "/"}')
    for calls in ([call], [call.to_openai()], [{"name": "ls", "arguments": {"path": "/"}}]):
        source = toolglot.sketch("mine", MINE, calls, about="Mine.", strong=True)
        assert "'Mine.'" in source or '"Mine."' in source
        mine = toolglot.Dialects.from_toml("mine", source)
        found = toolglot.parse('Sure: ::cat:: {"file": "a"} ::end::', dialect=mine)
        assert (found.content, found.calls[0].name) == ("Sure: ", "cat")
    certificate = toolglot.certify(mine)
    assert (certificate.why, certificate.lost) == (None, ()) and (certificate.example or "").startswith("::get_weather:: {")


def test_what_a_dialect_loses_is_named() -> None:
    lossy = toolglot.Dialects.from_toml("lossy", "call = '<f {name}>{params}</f>'\nparam = '<{key}>{value}<b>'")
    certificate = toolglot.certify(lossy)
    assert certificate.lost[0].startswith("a string with quotes and brackets: ")
    assert certificate.example and "<city>Paris<b>" in certificate.example
    assert toolglot.certify("hermes").lost == ()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: toolglot.sketch("mine", "nothing", [{"name": "ls", "arguments": {}}]), "does not contain"),
        (lambda: toolglot.sketch("mine", MINE, [{"name": "ls", "arguments": "["}]), "`ls` are not valid JSON"),
        (lambda: toolglot.certify(None), "exactly one dialect"),
        (lambda: toolglot.certify("hermez"), "`hermes`"),
        (lambda: toolglot.inspect("", dialect="hermez"), "`hermes`"),
    ],
)
def test_what_cannot_be_done_says_why(make: Any, words: str) -> None:
    with pytest.raises(toolglot.ToolglotError, match=words):
        make()


def test_ids_are_the_parsers() -> None:
    text = "[TOOL_CALLS]ls[ARGS]{}[TOOL_CALLS]ls[ARGS]{}"
    ids = [call.id for call in toolglot.parse(text, id_seed=7).calls]
    assert ids == [toolglot.mint(7, 0), toolglot.mint(7, 1)]
