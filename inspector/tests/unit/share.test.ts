/** Links, test cases and bug reports. */
import { expect, test } from "vitest";
import type { Reading } from "../../src/engine/inspection";
import { bugReport, testCase } from "../../src/report";
import { EMPTY, type Session } from "../../src/session";
import { checked, fromFragment, toFragment } from "../../src/share";

const FULL: Session = {
  text: "日本 <tool_call>\r\n😀",
  tools: '[{"name": "ls"}]',
  dialects: ["hermes", "mine"],
  choices: { evidence: "eager", acceptIncomplete: true },
  files: [{ name: "mine", toml: 'call = "<x>{call}</x>"' }],
};

test.each([FULL, { ...EMPTY, text: "a".repeat(100_000) }, EMPTY])("a link brings back what it was made of", async (session) => {
  expect(await fromFragment(`#${await toFragment(session)}`)).toEqual(session);
});

test.each(["", "#", "#s=", "#s=!!", "#s=AAAA", "#other=1"])("%j is no link", async (fragment) => {
  expect(await fromFragment(fragment)).toBeNull();
});

test("what a link has in the wrong place is dropped", () => {
  expect(checked({ text: 1, tools: [{ name: "ls" }], dialects: ["a", 2], files: [{ name: 1 }, null], choices: "x" })).toEqual({
    ...EMPTY,
    tools: JSON.stringify([{ name: "ls" }], null, 2),
    dialects: ["a"],
  });
});

test("a test case names its options and tools", () => {
  const made = testCase({ ...EMPTY, text: "a\nb", tools: '[{"name":"ls"}]', choices: { evidence: "eager" } }, "About.");
  expect(made).toBe('About.\n--- tools\n[\n  {\n    "name": "ls"\n  }\n]\n--- options\ndialects = auto\nevidence = eager\n--- input\na\nb\n--- expect\n');
});

test("a test case escapes what its file cannot hold as it is", () => {
  const input = (text: string) => testCase({ ...EMPTY, text }, "").split("--- options\ndialects = auto\ntools = none\n")[1];
  expect(input("a\\\r\nb\t")).toBe("--- input escaped\na\\\\\\r\\n\nb\\t\n--- expect\n");
  expect(input("--- input\nx")).toBe("--- input escaped\n\\x2d-- input\\n\nx\n--- expect\n");
  expect(input("end \nx")).toBe("--- input escaped\nend\\x20\\n\nx\n--- expect\n");
});

test("fences of a report are longer than those of the text", () => {
  const message = { content: "", reasoning: "", calls: [], incomplete: [], finishReason: "stop", dialect: null, diagnostics: [] };
  const reading = { message, why: [], repairs: [] } as unknown as Reading;
  expect(bugReport({ ...EMPTY, text: "````\ncode\n````" }, reading, [], "1.2.3")).toContain("`````text\n````\ncode\n````\n`````");
});
