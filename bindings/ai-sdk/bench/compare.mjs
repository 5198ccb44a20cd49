// 200 streams of two dialects, some of them damaged, through @ai-sdk-tool/parser and through toolglot.
//
//   npm install && node compare.mjs
import { isDeepStrictEqual } from "node:util";

import { hermesToolMiddleware, qwen3CoderToolMiddleware } from "@ai-sdk-tool/parser";
import { toolglotV6 } from "@toolglot/ai-sdk";
import { simulateReadableStream, wrapLanguageModel } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { Renderer } from "toolglot";

let state = 7;
const roll = (below) => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.floor((state / 2 ** 32) * below);
};
const pick = (list) => list[roll(list.length)];

const properties = {
  path: { type: "string" },
  text: { type: "string" },
  count: { type: "integer" },
  deep: { type: "boolean" },
  tags: { type: "array", items: { type: "string" } },
};
const tools = ["read_file", "search", "run"].map((name) => ({
  type: "function", name, description: name, inputSchema: { type: "object", properties },
}));
const strings = ["src/main.rs", "a < b && c > d", 'say "hi"', "Grüße 👋", "line one\nline two", "<p>x</p>", "it's", "1", "true", "C:\\temp\\x"];

function call() {
  const values = { path: () => pick(strings), text: () => pick(strings), count: () => roll(1000), deep: () => roll(2) === 1, tags: () => [pick(strings), pick(strings)] };
  const keys = Object.keys(values).filter(() => roll(3) > 0);
  return { name: pick(tools).name, arguments: Object.fromEntries(keys.map((key) => [key, values[key]()])) };
}

// What models get wrong, and whether the call is still one.
const damages = {
  none: [(text) => text, true],
  "last closer missing": [(text) => text.replace(/\s*<\/tool_call>\s*$/, ""), true],
  "comma before a brace": [(text) => text.replace(/\}\}\n<\/tool_call>/, "},}\n</tool_call>"), true],
  "brace missing": [(text) => text.replace(/\}\}\n<\/tool_call>\s*$/, "}\n</tool_call>"), true],
  "fenced": [(text) => text.replace("<tool_call>\n", "<tool_call>\n```json\n").replace(/\n<\/tool_call>/, "\n```\n</tool_call>"), true],
  "cut": [(text) => text.slice(0, text.indexOf("<tool_call>") + 30), false],
};

function stream(dialect, damage) {
  const calls = Array.from({ length: 1 + roll(2) }, call);
  const [change, whole] = damages[damage];
  const message = { content: pick(["", "Let me look.\n", "I will use a < b here.\n"]), calls };
  const text = new Renderer(dialect).render(message);
  return { dialect, damage, text: change(text), calls: whole ? calls : [] };
}

const streams = [];
while (streams.length < 200) {
  const dialect = streams.length % 3 === 2 ? "qwen3_coder" : "hermes";
  const damage = dialect === "hermes" ? pick(Object.keys(damages)) : "none";
  try {
    streams.push(stream(dialect, damage));
  } catch {
    // The dialect cannot say this message.
  }
}

async function calls(middleware, { text }) {
  const chunks = [
    { type: "stream-start", warnings: [] },
    { type: "text-start", id: "t" },
    ...text.match(/[^]{1,4}/g).map((delta) => ({ type: "text-delta", id: "t", delta })),
    { type: "text-end", id: "t" },
    { type: "finish", finishReason: { unified: "stop", raw: "stop" }, usage: { inputTokens: {}, outputTokens: {} } },
  ];
  const doStream = async () => ({ stream: simulateReadableStream({ chunks, initialDelayInMs: null, chunkDelayInMs: null }) });
  const model = wrapLanguageModel({ model: new MockLanguageModelV3({ doStream }), middleware });
  const { stream } = await model.doStream({ prompt: [{ role: "user", content: [{ type: "text", text: "?" }] }], tools });
  const found = [];
  for await (const part of stream) if (part.type === "tool-call") found.push(part);
  return found;
}

const parse = (input) => {
  try {
    return JSON.parse(input);
  } catch {
    return undefined;
  }
};
const same = (found, wanted) =>
  found.length === wanted.length &&
  found.every((one, at) => one.toolName === wanted[at].name && isDeepStrictEqual(parse(one.input), wanted[at].arguments));

const ways = {
  "@ai-sdk-tool/parser": { hermes: hermesToolMiddleware, qwen3_coder: qwen3CoderToolMiddleware },
  "@toolglot/ai-sdk, dialect named": { hermes: toolglotV6({ dialects: "hermes", prompt: true }), qwen3_coder: toolglotV6({ dialects: "qwen3_coder", prompt: true }) },
  "@toolglot/ai-sdk, any dialect": { hermes: toolglotV6(), qwen3_coder: toolglotV6() },
};
for (const [name, middlewares] of Object.entries(ways)) {
  let right = 0;
  const wrong = {};
  for (const one of streams.slice(0, 20)) await calls(middlewares[one.dialect], one);
  const from = process.cpuUsage();
  for (const one of streams) {
    if (same(await calls(middlewares[one.dialect], one), one.calls)) right++;
    else (wrong[`${one.dialect}, ${one.damage}`] ??= []).push(one.text);
  }
  const { user, system } = process.cpuUsage(from);
  const kinds = Object.entries(wrong).map(([kind, texts]) => `${kind}: ${texts.length}`);
  console.log(`${name}: ${right} of ${streams.length} right, ${((user + system) / 1000).toFixed(0)} ms of CPU; wrong: ${kinds.join("; ") || "none"}`);
  if (process.env.SHOW === name) console.log(JSON.stringify(wrong, null, 1));
}
