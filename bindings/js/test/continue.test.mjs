// The lines of bindings/ai-sdk/continue.md, which would replace Continue's parsing of `function.arguments`.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { repair } from "toolglot";

/** The page's function, and its lines for the command line as a function. */
const page = readFileSync(new URL("../../ai-sdk/continue.md", import.meta.url), "utf8");
const [first, second] = [...page.matchAll(/^```js\n(.*?)^```/gms)].map(([, block]) => block);
const toolCallArgs = new Function("repair", `${first.replace(/^import .*$/m, "").replace("export ", "")}; return toolCallArgs;`)(repair);
const preprocess = new Function("toolCallArgs", "toolCall", "tool", `${second}; return toolCall;`);

const declared = (schema) => ({ name: "ls", parameters: schema ?? { type: "object" } });
const read = (text, schema, how) => toolCallArgs({ function: { name: "ls", arguments: text } }, [declared(schema)], how);
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

const cut = '{"dirPath": "src/lib", "recursive": true}';

test("arguments cut off anywhere are an error; while they arrive, what is there is shown", () => {
  for (let end = 1; end < cut.length; end++) {
    const text = cut.slice(0, end);
    assert.throws(() => read(text), /cannot be read/, text);
    const { dirPath, recursive, ...others } = read(text, undefined, { partial: true });
    assert.ok("src/lib".startsWith(dirPath ?? "") && (recursive ?? true) === true, text);
    assert.deepEqual(others, {});
  }
});

test("invalid JSON is {} for those who ask, as in Continue's own test", () => {
  for (const text of ['{"name": "test", value: 123', "not json"]) {
    assert.throws(() => read(text), /cannot be read/);
    assert.deepEqual(read(text, undefined, { invalid: "empty" }), {});
  }
});

test("in the command line, arguments are read once, when all have come", () => {
  const call = { name: "ls", arguments: null, argumentsStr: "{'dirPath': 'src', \"recursive\": True}" };
  assert.deepEqual(preprocess(toolCallArgs, call, declared()).arguments, { dirPath: "src", recursive: true });
  // A beginning that is JSON by itself is not the whole.
  assert.throws(() => preprocess(toolCallArgs, { ...call, argumentsStr: '{}{"dirPath": "sr' }, declared()), /cannot be read/);
  assert.throws(() => preprocess(toolCallArgs, { ...call, argumentsStr: cut.slice(0, -1) }, declared()), /cannot be read/);
});

test("what cannot be read is an error, and nothing at all is no arguments", () => {
  assert.throws(() => read("I would list the folder"), /cannot be read/);
  for (const blank of ["", "  \n", null, undefined]) assert.deepEqual(read(blank), {});
  assert.deepEqual(toolCallArgs({ function: undefined }, []), {});
});
