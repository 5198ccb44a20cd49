// What bindings/ai-sdk/continue.md would make of Continue's parsing of `function.arguments`.
import assert from "node:assert/strict";
import { test } from "node:test";

import { repair } from "toolglot";

/** The function as the page has it. */
function parseToolCallArgs(toolCall, tools) {
  const text = toolCall.function?.arguments;
  if (text && typeof text === "object") return text;
  const { arguments: json, diagnostics } = repair(text ?? "", { tools, tool: toolCall.function?.name });
  if (json === null) throw new Error(`the arguments cannot be read: ${diagnostics.map(({ message }) => message).join("; ")}`);
  return JSON.parse(json);
}

const read = (text, schema) => {
  const tools = [{ name: "ls", parameters: schema ?? { type: "object" } }];
  return parseToolCallArgs({ function: { name: "ls", arguments: text } }, tools);
};
const parameter = (name, value) => `<parameter=${name}>\n${value}\n</parameter>`;
const call = (...parameters) => `<tool_call>\n<function=ls>\n${parameters.join("\n")}\n</function>\n</tool_call>`;

test("valid JSON passes as it is", () => {
  assert.deepEqual(read('{"dirPath": "src", "recursive": true}'), { dirPath: "src", recursive: true });
});

test("a call written as text becomes its arguments, values without their line breaks", () => {
  assert.deepEqual(read(call(parameter("dirPath", "src"), parameter("recursive", "True"))), { dirPath: "src", recursive: true });
});

test("without a schema, text says its type", () => {
  for (const [text, value] of [["TRUE", true], ["false", false], ["42", 42], ["-1.5", -1.5], ["[1, 2]", [1, 2]], ["null", null], ["plain", "plain"]])
    assert.deepEqual(read(call(parameter("value", text))), { value }, text);
});

test("with a schema, the schema decides", () => {
  const schema = (type) => ({ type: "object", properties: { value: { type } } });
  assert.deepEqual(read(call(parameter("value", "42")), schema("string")), { value: "42" });
  assert.deepEqual(read('{"value": "42"}', schema("integer")), { value: 42 });
  const text = read('{"value": {"a": 1}}', schema("string")).value;
  assert.equal(typeof text, "string");
  assert.deepEqual(JSON.parse(text), { a: 1 });
});

test("what is no number in JSON never becomes one", () => {
  for (const text of ["Infinity", "-Infinity", "NaN", "1e999"]) {
    const { value } = read(call(parameter("value", text)));
    assert.ok(typeof value === "string" || Number.isFinite(value), `${text} became ${value}`);
  }
});

test("names of an object's own machinery are plain keys", () => {
  for (const key of ["__proto__", "constructor", "prototype"]) {
    const found = read(call(parameter(key, "polluted")));
    assert.ok(Object.hasOwn(found, key));
    assert.equal({}.polluted, undefined);
    assert.equal(typeof {}.constructor, "function");
  }
});

test("what cannot be read is an error, and nothing at all is no arguments", () => {
  assert.throws(() => read("I would list the folder"), /cannot be read/);
  for (const blank of ["", "  \n", undefined]) assert.deepEqual(read(blank), {});
});
