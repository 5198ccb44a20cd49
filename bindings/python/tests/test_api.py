"""The package's own promises: types, errors, threads, signals, pickles."""

from __future__ import annotations

import asyncio
import dataclasses
import doctest
import importlib
import inspect
import json
import os
import pickle
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any, Literal

import pytest
import toolglot

CALL = '<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo", "days": "3"}}</tool_call>'


def test_a_message_has_what_chat_apis_have(weather: Any) -> None:
    message = toolglot.parse(f"<think>Hm.</think>Hi. {CALL}", tools=weather, id_seed=7)
    [call] = message.calls
    assert call.arguments == '{"city": "Oslo", "days": 3}' and call.args == {"city": "Oslo", "days": 3}
    assert (message.content, message.reasoning, message.finish_reason) == ("Hi. ", "Hm.", "tool_calls")
    function = {"name": "get_weather", "arguments": call.arguments}
    assert message.to_openai() == {
        "role": "assistant",
        "content": "Hi. ",
        "reasoning_content": "Hm.",
        "tool_calls": [{"id": call.id, "type": "function", "function": function}],
    }
    blocks = message.to_anthropic()["content"]
    assert [block["type"] for block in blocks] == ["thinking", "text", "tool_use"]
    assert blocks[2]["input"] == {"city": "Oslo", "days": 3}
    assert json.loads(json.dumps(message.to_dict()))["diagnostics"][0]["code"] == message.diagnostics[0].code


def test_ids_differ_from_message_to_message_unless_a_seed_is_given() -> None:
    first = [toolglot.parse(text).calls[0].id for text in (CALL, f"Again. {CALL}", CALL)]
    assert first[0] == first[2] != first[1]
    seeded = {toolglot.parse(text, id_seed=7).calls[0].id for text in (CALL, f"Again. {CALL}")}
    assert len(seeded) == 1
    rows = [f"{row} {CALL}" for row in range(200)]
    assert len({message.calls[0].id for message in toolglot.parse_many(rows)}) == len(rows)
    # A parser shows a call before the text is over, so its seed is there from the beginning.
    ids: list[str] = []
    for parser in (toolglot.Parser(), toolglot.Parser()):
        for _ in range(2):
            parser.push(CALL)
            early = parser.message().calls[0].id
            parser.push(" and more")
            parser.finish()
            assert parser.message().calls[0].id == early
            ids.append(early)
    assert len({*ids}) == len(ids)


def test_values_are_frozen_and_compare_and_pickle() -> None:
    message = toolglot.parse(CALL + '<tool_call>{"name": "x", "arguments": {"a": [1,')
    assert pickle.loads(pickle.dumps(message)) == message
    assert message.incomplete[0].outcome == "truncated"
    with pytest.raises(dataclasses.FrozenInstanceError):
        message.content = "x"  # type: ignore[misc]
    events = list(toolglot.stream([CALL]))
    assert pickle.loads(pickle.dumps(events)) == events and len({*events}) == len(events)
    with pytest.raises(AttributeError):
        events[0].start = 3  # type: ignore[misc]
    for event in events:
        assert eval(repr(event), vars(toolglot)) == event
    for known in (toolglot.Dialects(), toolglot.Dialects("glm45", "hermes"), toolglot.Dialects.from_toml("m", MINE)):
        assert pickle.loads(pickle.dumps(known)).names == known.names
    tools = toolglot.Tools([{"name": "ls"}])
    assert pickle.loads(pickle.dumps(tools)).names == ["ls"]


MINE = 'call = "<run>{call}</run>"'


def test_events_match_by_position() -> None:
    seen = []
    for event in toolglot.stream(["Hi. ", CALL]):
        match event:
            case toolglot.Text(text):
                seen.append(text)
            case toolglot.CallStart(0, _, name):
                seen.append(name)
            case toolglot.Arguments(_, piece):
                seen.append(piece)
    assert seen[:2] == ["Hi. ", "get_weather"] and "".join(seen[2:]) == '{"city": "Oslo", "days": "3"}'


def test_streams_of_texts_and_chunks_are_the_same(weather: Any) -> None:
    pieces = [CALL[at : at + 3] for at in range(0, len(CALL), 3)]
    chunks = [{"choices": [{"index": 0, "delta": {"content": piece}, "finish_reason": None}]} for piece in pieces]
    chunks += [{"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}, {"choices": [], "usage": {}}]

    async def later() -> list[toolglot.Event]:
        async def give() -> Any:
            for chunk in chunks:
                yield chunk

        return [event async for event in toolglot.astream(give(), tools=weather)]

    texts = list(toolglot.stream(pieces, tools=weather))
    assert texts == list(toolglot.stream(chunks, tools=weather)) == asyncio.run(later())
    with pytest.raises(TypeError, match="expected str, bytes or a chunk"):
        list(toolglot.stream([3]))


def test_a_parser_is_as_new_after_a_message() -> None:
    parser = toolglot.Parser(dialect="hermes", id_seed=7)
    for message in range(3):
        events = parser.push(CALL) + parser.finish()
        assert [event.type for event in events] == ["call_start", "arguments", "call_end"]
        # Each message has ids of its own.
        assert parser.message() == toolglot.parse(CALL, dialect="hermes", id_seed=7 + message)
        assert parser.dialect == "hermes"
    parser.push('<tool_call>{"name": "f", "arguments": {')
    parser.finish("length")
    assert parser.message().finish_reason == "length"
    with pytest.raises(RuntimeError, match="collect=True"):
        toolglot.Parser(collect=False).message()


def test_surrogates_and_bytes_are_read() -> None:
    assert toolglot.parse("a\ud800b").content == "a���b"
    assert toolglot.parse(b"a\xffb").content == "a�b"
    assert toolglot.parse("caf\u00e9").content == "café"


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (lambda: toolglot.parse("", validation="hard"), toolglot.ToolglotError, "`hard`"),  # type: ignore[arg-type]
        (lambda: toolglot.parse("", valdation="strict"), TypeError, "unknown option `valdation`"),  # type: ignore[call-arg]
        (lambda: toolglot.parse("", reasoning_open="yes"), TypeError, "`reasoning_open`"),  # type: ignore[arg-type]
        (lambda: toolglot.parse("", limits={"x": 1}), toolglot.ToolglotError, "unknown limit `x`"),  # type: ignore[typeddict-unknown-key]
        (lambda: toolglot.parse("", repairs="quotes"), toolglot.ToolglotError, "quotes"),
        (lambda: toolglot.parse("", dialect="hermez"), toolglot.ToolglotError, "`hermes`"),
        (lambda: toolglot.parse("", dialect="./none.toml"), FileNotFoundError, "none.toml"),
        (lambda: toolglot.parse("", tools="{"), toolglot.ToolglotError, "JSON"),
        (lambda: toolglot.parse("", tools=[{"description": "x"}]), toolglot.ToolglotError, "tool 0"),
        (lambda: toolglot.parse("", tools=3), toolglot.ToolglotError, "3 is not a tool"),  # type: ignore[arg-type]
        (lambda: toolglot.parse(3), TypeError, "expected str or bytes, found int"),  # type: ignore[arg-type]
        (lambda: toolglot.Dialects.from_toml("x", "call = 3"), toolglot.DialectError, "x.toml:1"),
        (lambda: toolglot.detect(), TypeError, "pass exactly one of"),
        (lambda: toolglot.Renderer(None).render({}), toolglot.ToolglotError, "one dialect"),
    ],
)
def test_errors_are_pythons_own(call: Any, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=re.escape(words)):
        call()


def test_a_dialect_error_knows_its_place() -> None:
    with pytest.raises(toolglot.DialectError) as raised:
        toolglot.Dialects.from_toml("mine", '# mine\ncall = "{call"')
    assert raised.value.line == 2 and raised.value.column > 1


def test_dialects_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(MINE)
    text = '<run>{"name": "ls", "arguments": {}}</run>'
    for dialect in (tmp_path / "mine.toml", [str(tmp_path / "mine.toml"), "hermes"], [tmp_path / "mine.toml", "auto"]):
        assert toolglot.parse(text, dialect=dialect).dialect == "mine"
    mine = toolglot.Dialects.from_toml("mine", MINE)
    assert toolglot.parse(text, dialect=toolglot.Dialects().preferring(mine)).dialect == "mine"
    assert not toolglot.parse(text).calls
    assert len(toolglot.Dialects()) > 70 and "qwen3-coder" in toolglot.Dialects()
    assert toolglot.Dialects("hermes")[0].name == "hermes" and toolglot.Dialects("hermes").get("glm45") is None


@dataclasses.dataclass
class Place:
    """Where something is."""

    city: str
    zoom: int = 3


def search(query: str, limit: int = 5, *, kind: Literal["web", "code"] = "web", near: Place | None = None) -> str:
    """Searches for text.

    Args:
        query: what to look for
        limit: how many results there may be
    """
    return query


def parameters(tool: Any) -> dict[str, Any]:
    [declared] = json.loads(toolglot.Tools([tool]).json)
    found: dict[str, Any] = declared["function"]["parameters"]
    return found


@pytest.mark.parametrize("with_pydantic", [True, False])
def test_functions_and_dataclasses_are_tools(with_pydantic: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if with_pydantic:
        pytest.importorskip("pydantic")
    else:
        monkeypatch.setitem(sys.modules, "pydantic", None)
    found = parameters(search)
    assert found["required"] == ["query"]
    assert found["properties"]["limit"]["type"] == "integer"
    assert found["properties"]["limit"]["description"] == "how many results there may be"
    assert found["properties"]["kind"]["enum"] == ["web", "code"]
    assert parameters(Place)["properties"]["zoom"]["type"] == "integer"
    text = '<tool_call>{"name": "search", "arguments": {"query": 5, "limit": "7"}}</tool_call>'
    assert toolglot.parse(text, tools=[search]).calls[0].args == {"query": "5", "limit": 7}


def test_pydantic_models_are_tools() -> None:
    pydantic = pytest.importorskip("pydantic")

    class Weather(pydantic.BaseModel):  # type: ignore[misc, name-defined]
        """Says what the weather will be."""

        city: str
        days: int = 1

    assert parameters(Weather)["properties"]["days"]["type"] == "integer"
    assert toolglot.Tools([Weather]).names == ["Weather"]


def test_every_vendors_shape_is_read() -> None:
    schema = {"type": "object", "properties": {"days": {"type": "integer"}}}
    gemini = {"type": "OBJECT", "properties": {"days": {"type": "INTEGER"}, "type": {"type": "STRING", "nullable": True}}}
    shapes: list[Any] = [
        [{"type": "function", "function": {"name": "wait", "parameters": schema}}],
        [{"type": "function", "name": "wait", "parameters": schema}],
        [{"name": "wait", "input_schema": schema}],
        {"tools": [{"name": "wait", "inputSchema": schema}]},
        {"functionDeclarations": [{"name": "wait", "parameters": gemini}]},
        [{"function_declarations": [{"name": "wait", "parameters_json_schema": schema}]}],
        json.dumps([{"name": "wait", "parameters": schema}]),
    ]
    for tools in shapes:
        text = '<tool_call>{"name": "wait", "arguments": {"days": "3"}}</tool_call>'
        assert toolglot.parse(text, tools=tools).calls[0].arguments == '{"days": 3}', tools


def test_arguments_alone(weather: Any) -> None:
    assert toolglot.repair("{'days': '3',}", tools=weather).arguments == '{"days": 3}'
    assert toolglot.repair("no idea").arguments is None
    reader = toolglot.ArgumentsReader("get_weather", tools=weather)
    json_text = "".join(reader.push(piece) for piece in ('{"da', 'ys": "', '3",}'))
    end = reader.finish()
    assert json_text + end.json == '{"days": 3}' and end.outcome == "repaired" and end.diagnostics
    with pytest.raises(RuntimeError, match="create a new one"):
        reader.finish()


def test_what_was_read_can_be_written(weather: Any) -> None:
    message = toolglot.parse(CALL, tools=weather)
    for dialect in ("hermes", "qwen3_coder", "kimi_k2", "mistral_v11", "pythonic"):
        text = toolglot.Renderer(dialect).render(message)
        assert toolglot.parse(text, dialect=dialect).calls[0].args["city"] == "Oslo"
        assert toolglot.Renderer(dialect).render(message.to_openai()) == text
    with pytest.raises(toolglot.RenderError, match="gemma4"):
        toolglot.Renderer("gemma4").render({"tool_calls": [{"name": "say", "arguments": {"t": 'a <|"|> b'}}]})


def test_a_near_miss_says_why() -> None:
    text = '[get_weather(city="Oslo")]'
    missed = toolglot.near_miss(text)
    assert missed is not None and (missed.reason, missed.tool) == ("no_tools", "get_weather")
    assert missed.diagnostic.code == "near_miss" and "no tools are declared" in missed.diagnostic.message
    assert list(toolglot.parse(text).diagnostics) == [missed.diagnostic]
    assert not toolglot.parse_many([text], near_misses=False)[0].diagnostics
    parser = toolglot.Parser()
    parser.push(text)
    assert not parser.message().diagnostics
    parser.finish()
    assert parser.message().diagnostics == toolglot.parse(text).diagnostics == toolglot.parse_many([text])[0].diagnostics
    assert toolglot.near_miss(CALL) is None and toolglot.near_miss("No call at all.") is None
    with pytest.raises(ValueError):
        toolglot.near_miss(text, dialect="no such dialect")


def test_detect_and_explain() -> None:
    assert toolglot.detect(CALL)[0].dialect == "hermes"
    assert any("committed" in str(step) for step in toolglot.explain(CALL))


def test_threads_read_at_the_same_time() -> None:
    text = CALL * 200
    alone = toolglot.parse(text)
    found: list[toolglot.Message] = []
    threads = [threading.Thread(target=lambda: found.append(toolglot.parse(text))) for _ in range(8)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert found == [alone] * 8


def test_the_lock_is_released_while_reading() -> None:
    # Another thread counts; it could not while a long text is read if the lock were held.
    text, counted, stop = CALL * 100_000, [0], threading.Event()

    def count() -> None:
        while not stop.is_set():
            counted[0] += 1
            time.sleep(0)

    thread = threading.Thread(target=count)
    thread.start()
    parser = toolglot.Parser(collect=False, limits={"calls": 1})
    before = counted[0]
    parser.push(text)
    during = counted[0] - before
    stop.set()
    thread.join()
    # One that waits for the lock counts once or twice; a busy machine lets it count a few dozen times.
    assert during > 5


def test_one_parser_is_for_one_thread() -> None:
    parser, errors = toolglot.Parser(collect=False), []

    def push() -> None:
        try:
            for _ in range(50):
                parser.push(CALL * 1000)
        except RuntimeError as error:
            errors.append(error)

    threads = [threading.Thread(target=push) for _ in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert all("borrowed" in str(error) for error in errors)
    parser.finish()


def test_progress_of_many(capfd: pytest.CaptureFixture[str]) -> None:
    texts = [CALL, "no call"] * 3
    messages = toolglot.parse_many(texts, progress=True, threads=2)
    assert [len(message.calls) for message in messages] == [1, 0] * 3
    assert re.fullmatch(r"toolglot: 6 of 6 texts, [\d,]+ a second\n", capfd.readouterr().err)
    toolglot.parse_many((text for text in texts), progress=True)
    assert capfd.readouterr().err.startswith("toolglot: 6 texts, ")


def test_threads_are_the_same_everywhere() -> None:
    for read in (toolglot.parse_many, toolglot.parse_array):
        assert inspect.signature(read).parameters["threads"].default is None
    with pytest.raises(toolglot.ToolglotError, match="at least 1"):
        toolglot.parse_many(["x"], threads=0)


READERS = [
    *(toolglot.parse, toolglot.stream, toolglot.astream, toolglot.parse_many, toolglot.parse_array, toolglot.repair),
    *(toolglot.explain, toolglot.near_miss, toolglot.Parser, toolglot.ArgumentsReader),
]


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.__name__)
def test_options_are_spelled_out(reader: Any) -> None:
    shown = inspect.signature(reader).parameters
    assert not any(one.kind is one.VAR_KEYWORD for one in shown.values())
    for name in toolglot.Options.__annotations__:
        assert shown[name].kind is shown[name].KEYWORD_ONLY and f"\n    {name}: " in reader.__doc__
    assert "ToolglotError" in reader.__doc__


def test_the_defaults_that_are_shown_are_the_defaults(weather: Any) -> None:
    shown = inspect.signature(toolglot.parse).parameters
    assert list(toolglot._settings.ABOUT) and set(toolglot._settings.ABOUT) == set(toolglot.Options.__annotations__)
    given = {name: shown[name].default for name in toolglot.Options.__annotations__}
    for text in (CALL, f"<think>{CALL}", "{'name': get_weather}", '<tool_call>{"name": "x", "arguments": {"a": null'):
        assert toolglot.parse(text, tools=weather, **given) == toolglot.parse(text, tools=weather)


def test_errors_have_one_base() -> None:
    for error in (toolglot.DialectError, toolglot.RenderError, toolglot.GrammarError):
        assert issubclass(error, toolglot.ToolglotError)
    assert issubclass(toolglot.ToolglotError, ValueError)


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
def test_ctrl_c_ends_a_long_run() -> None:
    # A shell's background job, and so this test in one, is started with the signal ignored.
    program = (
        "import signal, toolglot\nsignal.signal(signal.SIGINT, signal.default_int_handler)\nprint('on', flush=True)\n"
        f"toolglot.parse_many([{CALL!r} * 200] * 1_000_000, threads=1)"
    )
    child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert child.stdout is not None and child.stdout.readline() == "on\n"
        time.sleep(0.5)
        child.send_signal(signal.SIGINT)
        _, err = child.communicate(timeout=60)
    finally:
        child.kill()
    assert "KeyboardInterrupt" in err and child.returncode != 0


def run(*args: str, text: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "toolglot", *args], input=text, capture_output=True, text=True, check=False)


def test_the_command_line_is_whole() -> None:
    done = run("parse", text=CALL)
    said = json.loads(done.stdout)
    assert said["tool_calls"][0]["function"]["name"] == "get_weather" and done.returncode == 0
    assert toolglot.__version__ in run("--version").stdout
    assert run("parse", "--dialect", "hermez", text="x").returncode == 2
    assert run("repair", text="no idea").returncode == 1
    for command in ("serve", "repair", "render", "dialects", "explain", "detect", "config", "health"):
        assert run(command, "--help").returncode == 0
    program = Path(sys.executable).parent / "toolglot"
    if program.exists():
        assert subprocess.run([program, "--version"], capture_output=True, check=True).stdout


def test_the_command_line_and_the_package_agree(weather: Any) -> None:
    lines = [{"id": at, "text": CALL[:at], "tools": weather} for at in range(0, len(CALL), 7)]
    out = run("parse", "--jsonl", text="\n".join(map(json.dumps, lines))).stdout
    for line, said in zip(lines, map(json.loads, out.splitlines()), strict=True):
        message = toolglot.parse(line["text"], tools=weather)
        found, told = message.to_openai(), said["message"]
        for calls in (found.get("tool_calls", []), told.get("tool_calls", [])):
            for call in calls:
                del call["id"]
        assert found == told and message.finish_reason == said["finish_reason"]


@pytest.mark.parametrize("module", ["", "._dialect_file", "._exchange", "._grammar", "._inspection", "._read", "._write", "._tools", ".spans", ".bfcl"])
def test_examples_in_docstrings(module: str) -> None:
    found = importlib.import_module(f"toolglot{module}")
    assert doctest.testmod(found, extraglobs=vars(toolglot)).failed == 0


def test_importing_is_cheap() -> None:
    program = "import sys, toolglot; print([name for name in sys.modules if name in ('pyarrow', 'pydantic', 'httpx', 'numpy')])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
