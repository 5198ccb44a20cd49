/** Saved answers and streams of each protocol hold the same text. */
import { expect, test } from "vitest";
import { recorded } from "../../src/recorded";

const TEXT = 'Hm.<tool_call>{"name": "ls"}</tool_call>';
const HALVES = [TEXT.slice(0, 9), TEXT.slice(9)];
const stream = (...events: object[]) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");

test.each([
  ["chat", { choices: [{ message: { role: "assistant", content: TEXT, reasoning_content: "why" }, finish_reason: "stop" }] }],
  ["responses", { object: "response", output: [{ type: "reasoning", summary: [{ text: "why" }] }, { type: "message", content: [{ type: "output_text", text: TEXT }] }] }],
  ["messages", { type: "message", stop_reason: "end_turn", content: [{ type: "thinking", thinking: "why" }, { type: "text", text: TEXT }] }],
  ["ollama", { done: true, done_reason: "stop", message: { content: TEXT, thinking: "why" } }],
])("a whole %s answer", (_, body) => {
  expect(recorded(JSON.stringify(body))).toMatchObject({ text: TEXT, reasoning: "why", natives: 0 });
});

test.each([
  ["chat", `${stream(...HALVES.map((content) => ({ choices: [{ delta: { content } }] })), { choices: [{ delta: {}, finish_reason: "length" }] })}data: [DONE]\n\n`, "length"],
  ["responses", stream(...HALVES.map((delta) => ({ type: "response.output_text.delta", delta })), { type: "response.completed" }), null],
  ["messages", stream({ type: "message_start" }, ...HALVES.map((text) => ({ type: "content_block_delta", delta: { type: "text_delta", text } })), { type: "message_delta", delta: { stop_reason: "max_tokens" } }), "length"],
])("a stream of %s", (_, source, finish) => {
  expect(recorded(source)).toMatchObject({ text: TEXT, finish });
});

test("lines of Ollama", () => {
  const lines = HALVES.map((content, index) => JSON.stringify({ done: index === 1, message: { content } }));
  expect(recorded(lines.join("\n"))?.text).toBe(TEXT);
});

test("a capture has its answer and the request's tools", () => {
  const tools = [{ type: "function", function: { name: "ls" } }];
  const answer = JSON.stringify({ choices: [{ message: { content: TEXT } }] });
  expect(recorded(JSON.stringify({ toolglot: "0.1.0", request: { tools }, answer }))).toMatchObject({ text: TEXT, tools });
});

test("native calls are counted", () => {
  const call = { id: "1", function: { name: "ls", arguments: "{}" } };
  expect(recorded(JSON.stringify({ choices: [{ message: { content: null, tool_calls: [call, call] } }] }))?.natives).toBe(2);
});

test.each([TEXT, '{"name": "ls", "arguments": {}}', "", "data: not json", '{"name": "ls"}\n{"name": "ls"}', "[1]"])("%j is no recording", (text) => {
  expect(recorded(text)).toBeNull();
});
