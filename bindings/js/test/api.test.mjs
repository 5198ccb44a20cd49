import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

// What most bundlers do to a package, alone or below others.
import { buildSync } from "esbuild";
import * as toolglot from "toolglot";
import * as bare from "toolglot/bare";

const { certify, createFetch, detect, dialects, Exchange, explain, inspect, mint, nearMiss, parse, Parser, ParserStream, repair, Renderer, sketch, ToolglotError } =
  toolglot;

const tools = [
  {
    type: "function",
    function: {
      name: "get_weather",
      parameters: { type: "object", properties: { city: { type: "string" }, days: { type: "integer" } } },
    },
  },
];
const answer =
  "Let me see. <tool_call>\n<function=get_weather>\n<parameter=city>\nOslo\n</parameter>\n<parameter=days>\n3\n</parameter>\n</function>\n</tool_call>";

test("parse", () => {
  const message = parse(answer, { tools });
  assert.equal(message.content, "Let me see. ");
  assert.equal(message.finishReason, "tool_calls");
  assert.equal(message.dialect, "qwen3_coder");
  assert.deepEqual(
    message.calls.map(({ name, arguments: json }) => [name, json]),
    [["get_weather", '{"city": "Oslo", "days": 3}']],
  );
});

test("ids differ from message to message, unless a seed is given", () => {
  const first = (text, options) => parse(text, options).calls[0].id;
  assert.notEqual(first(answer), first(`Again. ${answer}`));
  assert.equal(first(answer), first(answer));
  assert.equal(first(answer, { idSeed: 7 }), first(`Again. ${answer}`, { idSeed: 7 }));
  const seen = new Set();
  for (const parser of [new Parser(), new Parser()]) {
    for (let message = 0; message < 2; message++) {
      parser.push(answer);
      const early = parser.message().calls[0].id;
      parser.push(" and more");
      parser.finish();
      assert.equal(parser.message().calls[0].id, early);
      seen.add(early);
    }
    parser.free();
  }
  assert.equal(seen.size, 4);
});

test("a parser gives the same in pieces of any size, also within characters", () => {
  const text = "Grüße 👋 " + answer;
  const bytes = new TextEncoder().encode(text);
  const parser = new Parser({ tools, idSeed: 7 });
  for (const [number, size] of [1, 2, 3, 7, 100].entries()) {
    for (let at = 0; at < bytes.length; at += size) parser.push(bytes.subarray(at, at + size));
    parser.finish();
    // Each message has ids of its own.
    assert.deepEqual(parser.message(), parse(text, { tools, idSeed: 7 + number }));
  }
  assert.equal(parser.dialect, "qwen3_coder");
  parser.free();
  assert.throws(() => parser.push("x"), ToolglotError);
});

test("text may be cut within a character too", () => {
  const text = "👋🏽 <tool_call>{\"name\": \"ls\", \"arguments\": {\"path\": \"👋\"}}</tool_call> 👋";
  const parser = new Parser({ idSeed: 7 });
  for (let at = 0; at < text.length; at++) parser.push(text[at]);
  parser.finish();
  assert.deepEqual(parser.message(), parse(text, { idSeed: 7 }));
  parser.push("a" + "👋"[0]);
  parser.finish();
  assert.equal(parser.message().content, "a\ufffd");
  parser.push("👋"[0]);
  parser.push(new Uint8Array([98]));
  parser.finish();
  assert.equal(parser.message().content, "\ufffdb");
});

test("settings that are wrong say what to do", () => {
  const wrong = [
    { dialects: "nobody's" },
    { tools: "{" },
    { validation: "maybe" },
    { files: [{ name: "mine", toml: "x =" }] },
    { repairs: ["no_such"] },
  ];
  for (const options of wrong)
    assert.throws(() => parse("", options), (error) => error instanceof ToolglotError && error.kind === "invalid" && error.message.length > 10);
  assert.equal(parse("still works").content, "still works");
});

test("an option that nobody knows is an error that names the one that was meant", () => {
  const wrong = [
    [() => parse("", { dialets: "hermes" }), "`dialects`"],
    [() => parse("", { reasoning_open: true }), "`reasoningOpen`"],
    [() => parse("", { limits: { dept: 3 } }), "`depth`"],
    [() => new Parser({ onDiagnostic() {} }), "there are"],
    [() => repair("{}", { tol: "ls" }), "`tool`"],
    [() => detect("", { form: "model" }), "`from`"],
    [() => dialects({ tools: [] }), "there are"],
    [() => new Renderer("hermes", { tool: [] }), "`tools`"],
    [() => new Exchange("{}", { policy: { evidnce: "strict" } }), "`evidence`"],
    [() => new Exchange("{}", { polcy: {} }), "`policy`"],
    [() => createFetch({ fech: fetch }), "`fetch`"],
    [() => parse("", { dialect: "hermes", dialects: ["glm45"] }), "same option"],
  ];
  for (const [run, hint] of wrong)
    assert.throws(run, (error) => error instanceof ToolglotError && error.kind === "invalid" && error.message.includes(hint), hint);
});

test("`dialect` is `dialects` for one", () => {
  const text = '<tool_call>{"name": "ls", "arguments": {}}</tool_call>';
  assert.equal(parse(text, { dialect: "hermes" }).calls.length, 1);
  assert.equal(parse(text, { dialect: "mistral_v11" }).calls.length, 0);
  assert.equal(dialects({ dialect: "hermes" }).length, 1);
});

test("what is freed at the end of a block cannot be used behind it", () => {
  for (const made of [new Parser(), new Renderer("hermes"), new Exchange({ model: "m", messages: [] })]) {
    made[Symbol.dispose]();
    made[Symbol.dispose]();
    assert.throws(() => made.push?.("x") ?? made.render?.({}) ?? made.whole("{}"), ToolglotError);
  }
});

test("chunks are read with `for await`, from streams and lists", async () => {
  const parser = new Parser({ tools });
  const pieces = answer.match(/.{1,5}/gs);
  for (const from of [pieces, source(pieces), source(pieces.map(encode))]) {
    let json = "";
    for await (const event of parser.read(from)) if (event.type === "arguments") json += event.json;
    assert.equal(json, '{"city": "Oslo", "days": 3}');
    assert.equal(parser.message().calls.length, 1);
  }
  async function* cut() {
    yield "half <tool";
    throw new Error("gone");
  }
  let text = "";
  await assert.rejects(async () => {
    for await (const event of parser.read(cut())) text += event.text ?? "";
  }, /gone/);
  assert.equal(text, "half <tool");
});

test("repair", () => {
  assert.equal(repair("<parameter=recursive>True</parameter>").arguments, '{"recursive": true}');
  assert.equal(repair("<parameter=days>3</parameter>", { tools, tool: "get_weather" }).arguments, '{"days": 3}');
  assert.equal(repair("no idea").arguments, null);
  const { arguments: json } = repair('{"__proto__": {"polluted": true},}');
  assert.equal({}.polluted, undefined);
  assert.ok(Object.hasOwn(JSON.parse(json), "__proto__"));
});

test("inspect tells what became of every byte, and when", () => {
  const text = 'Hi é <tool_call>{"name": "ls", "arguments": {"all": True}}</tool_call>';
  const { message, spans, repairs, arrivals, held, why } = inspect(text);
  assert.equal(message.calls[0].arguments, '{"all": true}');
  assert.deepEqual(
    spans.map((span) => span.end).slice(0, -1),
    spans.map((span) => span.start).slice(1),
  );
  assert.ok(spans.some((span) => span.kind === "repaired" && span.end - span.start === 4));
  assert.deepEqual([repairs[0].before, repairs[0].after], ["True", "true"]);
  const said = arrivals.filter((arrival) => arrival.event === "arguments").map((arrival) => arrival.text);
  assert.equal(said.join(""), message.calls[0].arguments);
  assert.ok(held.every(([arrived, out]) => out <= arrived));
  assert.deepEqual(why, []);
  const { why: missed } = inspect('[get_weather(city="Paris")]');
  assert.deepEqual([missed[0].reason, missed[0].fix], ["no_tools", { kind: "tools", value: "get_weather" }]);
});

test("a near miss says why", () => {
  const text = '[get_weather(city="Paris")]';
  const { reason, tool, diagnostic } = nearMiss(text);
  assert.deepEqual([reason, tool, diagnostic.code, diagnostic.start], ["no_tools", "get_weather", "near_miss", 0]);
  assert.equal(nearMiss(text, { tools: [{ name: "get_weather" }] }), null);
  assert.equal(nearMiss("No call at all."), null);
  assert.throws(() => nearMiss(text, { dialects: "no such dialect" }), (error) => error.kind === "invalid");
});

test("detect, dialects, explain, mint", () => {
  assert.equal(detect(answer)[0].dialect, "qwen3_coder");
  assert.equal(detect("Qwen/Qwen3-Coder-30B", { from: "model" })[0].dialect, "qwen3_coder");
  assert.ok(dialects().length > 70);
  assert.ok(explain(answer).steps.some((step) => step.action === "committed"));
  assert.equal(mint(7, 0), mint(7n, 0));
  assert.notEqual(mint(7, 0), mint(7, 1));
});

test("a message that is rendered reads back the same", () => {
  for (const dialect of ["hermes", "qwen3_coder", "mistral_v11", "glm45"]) {
    const text = new Renderer(dialect, { tools }).render(parse(answer, { tools }));
    assert.equal(parse(text, { tools, dialects: dialect }).calls[0].arguments, '{"city": "Oslo", "days": 3}');
  }
  const bad = { tool_calls: [{ function: { name: "get_weather", arguments: "[" } }] };
  assert.throws(() => new Renderer("hermes").render(bad), (error) => error.kind === "failed");
});

test("a dialect of your own", () => {
  const toml = 'about = "Mine."\ncall = "@@{name} {arguments}@@"\n';
  const files = [{ name: "mine", toml }];
  const found = parse('@@ls {"a": 1}@@', { files, dialects: "mine" });
  assert.deepEqual([found.calls[0]?.name, found.dialect], ["ls", "mine"]);
  assert.equal(dialects({ files, dialects: "mine" }).length, 1);
});

test("a dialect from an example, and what it can carry", () => {
  const example = { name: "mine", text: '::ls:: {"path": "/"} ::end::', calls: [{ name: "ls", arguments: { path: "/" } }], strong: true };
  const files = [{ name: "mine", toml: sketch(example) }];
  const found = parse('Sure: ::cat:: {"file": "a"} ::end::', { files, dialects: "mine" });
  assert.deepEqual([found.content, found.calls[0]?.name], ["Sure: ", "cat"]);
  assert.throws(() => sketch({ ...example, text: "nothing" }), (error) => error.kind === "failed" && error.message.includes("does not contain"));
  const { example: written, why, lost } = certify("mine", { files });
  assert.deepEqual([why, lost], [null, []]);
  assert.ok(written.startsWith("::get_weather:: {"));
  const lossy = certify("lossy", { files: [{ name: "lossy", toml: "call = '<f {name}>{params}</f>'\nparam = '<{key}>{value}<b>'" }] });
  assert.ok(lossy.lost[0].startsWith("a string with quotes and brackets: "));
});

test("many settings do not fill the memory", () => {
  for (let round = 0; round < 200; round++) {
    const name = `tool_${round}`;
    const text = `<tool_call>{"name": "${name}", "arguments": {}}</tool_call>`;
    assert.equal(parse(text, { tools: [{ name, parameters: { type: "object" } }] }).calls[0].name, name);
  }
});

async function collect(stream) {
  const all = [];
  for await (const part of stream) all.push(part);
  return all;
}

const source = (parts) => new ReadableStream({ start: (c) => (parts.forEach((p) => c.enqueue(p)), c.close()) });

test("a stream of text becomes events", async () => {
  const stream = new ParserStream({ tools });
  const events = await collect(source(answer.match(/.{1,5}/gs)).pipeThrough(stream));
  const json = events.filter((event) => event.type === "arguments").map((event) => event.json);
  assert.equal(json.join(""), '{"city": "Oslo", "days": 3}');
  assert.equal(stream.message().calls.length, 1);
});

const encode = (text) => new TextEncoder().encode(text);
const sse = (events) => events.map(([name, data]) => encode(`${name ? `event: ${name}\n` : ""}data: ${JSON.stringify(data)}\n\n`));
const deltas = answer.match(/.{1,9}/gs);

// A server's stream in each protocol, and where a client finds the call.
const servers = {
  chat: {
    request: { model: "m", stream: true, messages: [{ role: "user", content: "?" }], tools },
    events: [
      ...deltas.map((content) => [null, { id: "1", object: "chat.completion.chunk", choices: [{ index: 0, delta: { content } }] }]),
      [null, { id: "1", object: "chat.completion.chunk", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }],
    ],
    calls: (data) => data.flatMap((chunk) => chunk.choices?.[0]?.delta?.tool_calls ?? []).map((call) => call.function?.arguments ?? ""),
    finished: (data) => data.some((chunk) => chunk.choices?.[0]?.finish_reason === "tool_calls"),
  },
  messages: {
    request: {
      model: "m", max_tokens: 9, stream: true, messages: [{ role: "user", content: "?" }],
      tools: [{ name: "get_weather", input_schema: tools[0].function.parameters }],
    },
    events: [
      ["message_start", { type: "message_start", message: { id: "1", type: "message", role: "assistant", model: "m", content: [], usage: { input_tokens: 1, output_tokens: 1 } } }],
      ["content_block_start", { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }],
      ...deltas.map((text) => ["content_block_delta", { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } }]),
      ["content_block_stop", { type: "content_block_stop", index: 0 }],
      ["message_delta", { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 9 } }],
      ["message_stop", { type: "message_stop" }],
    ],
    calls: (data) => data.filter((event) => event.delta?.type === "input_json_delta").map((event) => event.delta.partial_json),
    finished: (data) => data.some((event) => event.delta?.stop_reason === "tool_use"),
  },
  responses: {
    request: { model: "m", stream: true, input: "?", tools: [{ type: "function", name: "get_weather", parameters: tools[0].function.parameters }] },
    events: [
      ["response.created", { type: "response.created", sequence_number: 0, response: { id: "r", object: "response", status: "in_progress", output: [] } }],
      ["response.output_item.added", { type: "response.output_item.added", sequence_number: 1, output_index: 0, item: { id: "i", type: "message", role: "assistant", status: "in_progress", content: [] } }],
      ["response.content_part.added", { type: "response.content_part.added", sequence_number: 2, item_id: "i", output_index: 0, content_index: 0, part: { type: "output_text", text: "", annotations: [] } }],
      ...deltas.map((delta, at) => ["response.output_text.delta", { type: "response.output_text.delta", sequence_number: 3 + at, item_id: "i", output_index: 0, content_index: 0, delta }]),
      ["response.output_text.done", { type: "response.output_text.done", sequence_number: 90, item_id: "i", output_index: 0, content_index: 0, text: answer }],
      ["response.output_item.done", { type: "response.output_item.done", sequence_number: 91, output_index: 0, item: { id: "i", type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text: answer, annotations: [] }] } }],
      ["response.completed", { type: "response.completed", sequence_number: 92, response: { id: "r", object: "response", status: "completed", output: [{ id: "i", type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text: answer, annotations: [] }] }] } }],
    ],
    calls: (data) => data.filter((event) => event.type === "response.function_call_arguments.delta").map((event) => event.delta),
    finished: (data) => data.some((event) => event.type === "response.completed" && event.response.output.some((item) => item.type === "function_call")),
  },
};

const data = (text) =>
  text.split("\n").filter((line) => line.startsWith("data: ") && line !== "data: [DONE]").map((line) => JSON.parse(line.slice(6)));

for (const [protocol, server] of Object.entries(servers))
  test(`an answer in the protocol ${protocol} gets native calls`, async () => {
    const exchange = new Exchange(server.request, { client: protocol, server: protocol });
    assert.equal(JSON.parse(exchange.body).model, "m");
    for (const size of [1, 13, 1 << 20]) {
      const bytes = Buffer.concat(sse(server.events));
      const parts = [];
      for (let at = 0; at < bytes.length; at += size) parts.push(bytes.subarray(at, at + size));
      const out = data(Buffer.concat(await collect(source(parts).pipeThrough(exchange.stream()))).toString());
      assert.deepEqual(JSON.parse(server.calls(out).join("")), { city: "Oslo", days: 3 });
      assert.ok(server.finished(out));
    }
  });

test("fetch gives any client native calls, and lets other requests pass", async () => {
  const asked = [];
  const upstream = async (url, init) => {
    asked.push([String(url), init?.body]);
    if (!String(url).endsWith("/chat/completions")) return new Response("models");
    if (JSON.parse(init.body).stream)
      return new Response(source(sse(servers.chat.events)), { headers: { "content-type": "text/event-stream" } });
    return Response.json({ id: "1", object: "chat.completion", choices: [{ index: 0, message: { role: "assistant", content: answer }, finish_reason: "stop" }] });
  };
  const fetch = createFetch({ fetch: upstream });
  const send = (body) => fetch("http://model/v1/chat/completions", { method: "POST", body: JSON.stringify(body) });
  const streamed = data(await (await send(servers.chat.request)).text());
  assert.deepEqual(JSON.parse(servers.chat.calls(streamed).join("")), { city: "Oslo", days: 3 });
  const whole = await (await send({ ...servers.chat.request, stream: false })).json();
  assert.equal(whole.choices[0].finish_reason, "tool_calls");
  assert.equal(whole.choices[0].message.tool_calls[0].function.name, "get_weather");
  assert.equal(await (await fetch("http://model/v1/models")).text(), "models");
  assert.equal(asked.length, 3);
});

test("Ollama's lines get native calls", async () => {
  const line = (content, rest) => encode(`${JSON.stringify({ model: "m", message: { role: "assistant", content }, done: false, ...rest })}\n`);
  const lines = [...deltas.map((content) => line(content)), line("", { done: true, done_reason: "stop" })];
  const upstream = async () => new Response(source(lines), { headers: { "content-type": "application/x-ndjson" } });
  const body = JSON.stringify({ model: "m", messages: [{ role: "user", content: "?" }], tools });
  const answered = await createFetch({ fetch: upstream })("http://model/api/chat", { method: "POST", body });
  const said = (await answered.text()).trim().split("\n").map((text) => JSON.parse(text));
  const calls = said.flatMap(({ message }) => message.tool_calls ?? []);
  assert.deepEqual(calls.map((call) => call.function.arguments), [{ city: "Oslo", days: 3 }]);
  assert.ok(said.at(-1).done);
});

test("`import` and `require` give Node one copy", () => {
  const common = createRequire(import.meta.url)("toolglot");
  assert.equal(common.parse, parse);
  assert.equal(common.Parser, Parser);
});

test("where there is no file, the module is inside", async () => {
  const web = await import("../dist/esm/index.js");
  assert.notEqual(web.parse, parse);
  assert.deepEqual(Object.keys(web).sort(), Object.keys(createRequire(import.meta.url)("toolglot")).sort());
  const alone = mkdtempSync(join(tmpdir(), "toolglot-"));
  cpSync(new URL("../dist/cjs", import.meta.url), alone, { recursive: true });
  const left = createRequire(import.meta.url)(join(alone, "node.js"));
  for (const one of [web, left]) assert.equal(one.parse(answer, { tools }).calls.length, 1);
  rmSync(alone, { recursive: true });
});

test("bundles for Node and for browsers work where the package is not", () => {
  const alone = mkdtempSync(join(tmpdir(), "toolglot-"));
  const contents = 'import { parse } from "toolglot"; console.log(parse("[TOOL_CALLS]ls[ARGS]{}").calls[0].name);';
  for (const [platform, format] of [["node", "cjs"], ["node", "esm"], ["browser", "esm"]]) {
    const outfile = join(alone, `${platform}.${format === "esm" ? "mjs" : "cjs"}`);
    buildSync({ stdin: { contents, resolveDir: import.meta.dirname }, bundle: true, platform, format, outfile, logLevel: "error" });
    const { stdout, stderr } = spawnSync(process.execPath, [outfile], { encoding: "utf8" });
    assert.equal(stdout, "ls\n", `${platform} ${format}: ${stderr}`);
  }
  rmSync(alone, { recursive: true });
});

test("without a module of its own it says so, and takes one", () => {
  const script = `
    import { init, parse } from "toolglot/bare";
    import { readFileSync } from "node:fs";
    try { parse("x"); process.exit(1) } catch (error) { if (!error.message.includes("init")) throw error; }
    init(new WebAssembly.Module(readFileSync(process.argv[1])));
    console.log(parse("x").content);`;
  const wasm = createRequire(import.meta.url).resolve("toolglot/toolglot.wasm");
  assert.ok(readFileSync(wasm).length > 0 && bare.parse === parse);
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script, wasm], { encoding: "utf8", cwd: import.meta.dirname });
  assert.equal(`${status} ${stdout}`, "0 x\n", stderr);
});

test("plain text passes at once, and nobody sees the difference", () => {
  const parser = new Parser();
  const pieces = ["Let me", " look", " at Málaga, ", "1", "2", "\ud83d", "\ude00", " each", " \n", "and so on", " ", " ", "\u0000", "."];
  let [at, text] = [0, ""];
  for (const piece of pieces) {
    for (const event of parser.push(piece)) {
      assert.equal(event.start, at);
      at = event.end;
      text += event.text;
    }
    assert.equal(parser.message().content, text);
  }
  parser.finish();
  assert.equal(parser.message().content, pieces.join(""));
  parser.push("Let me");
  parser.push(" look");
  parser.free();
  assert.throws(() => parser.push(" at"), /freed/);
});
