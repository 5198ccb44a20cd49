/** Lists of captures, and two answers compared. */
import { expect, test } from "vitest";
import { captureList, difference, filtered } from "../../src/captures";
import { mistake, placeOf } from "../../src/text/mistake";

const LIST = captureList([
  { name: "a.json", model: "Qwen", time: 5, miss: ["in_code", "it stands in a fence"], repairs: [] },
  { name: "b.json", model: "Kimi", repairs: ["fence"] },
  {},
]);

test("captures are found by misses, repairs and words", () => {
  const names = (filter: object) => filtered(LIST, { words: "", misses: false, repairs: false, ...filter }).map(({ name }) => name);
  expect(names({})).toEqual(["a.json", "b.json"]);
  expect(names({ misses: true })).toEqual(["a.json"]);
  expect(names({ repairs: true })).toEqual(["b.json"]);
  expect(names({ words: "fence" })).toEqual(["a.json"]);
  expect(names({ words: "kimi" })).toEqual(["b.json"]);
});

test("a difference has both texts in it", () => {
  const lines = difference("a\nb\nc", "a\nx\ny\nc");
  const side = (sign: string) => lines.filter((it) => it.sign === " " || it.sign === sign).map((it) => it.line).join("\n");
  expect(side("-")).toBe("a\nb\nc");
  expect(side("+")).toBe("a\nx\ny\nc");
  expect(difference("a", "a")).toEqual([{ sign: " ", line: "a" }]);
});

test("a checker's message becomes a place in the file", () => {
  const toml = 'about = "😀"\ncall = "<run>{nmae}</run>"';
  const found = mistake('mine.toml:2:14: unknown hole `{nmae}`\n  |\n2 | call = "<run>{nmae}</run>"\n  |              ^^^^^^\n  = write `{name}`');
  expect(found).toEqual({ line: 2, column: 14, width: 6, message: "unknown hole `{nmae}`", help: "write `{name}`" });
  const { from, to } = placeOf(toml, found);
  expect(toml.slice(from, to)).toBe("{nmae}");
});
