/** The members of an object's text. */
import { expect, test } from "vitest";
import { members } from "../../src/text/json";

test("members keep their text", () => {
  const text = '{"a": 123456789012345678901, "b, {": "x\\"}", "c": {"d": [1, "]"]}, "e": null}';
  expect(members(text)).toEqual([
    { key: "a", value: "123456789012345678901" },
    { key: "b, {", value: '"x\\"}"' },
    { key: "c", value: '{"d": [1, "]"]}' },
    { key: "e", value: "null" },
  ]);
});

test("what is no object has none", () => {
  expect(members("{}")).toEqual([]);
  expect(members("[1]")).toBeNull();
  expect(members('{"a": ')).toBeNull();
});

test("a key named like a prototype is a key", () => {
  expect(members('{"__proto__": 1}')).toEqual([{ key: "__proto__", value: "1" }]);
});
