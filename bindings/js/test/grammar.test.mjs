// What the library makes of each request for a grammar, the package makes, too.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { grammar, ToolglotError } from "toolglot";

const path = process.env.TOOLGLOT_GRAMMARS;
const skip = path ? false : "TOOLGLOT_GRAMMARS is not set; `bindings/test js` writes the library's grammars and compares them";
const camel = (name) => name.replace(/_(.)/g, (_, letter) => letter.toUpperCase());
const named = (options) => Object.fromEntries(Object.entries(options).map(([name, value]) => [camel(name), value]));

test("every grammar is the library's", { skip }, () => {
  const cases = JSON.parse(readFileSync(path, "utf8"));
  assert.ok(cases.length > 100);
  for (const { dialect, tools, options, grammar: wanted, error } of cases) {
    const make = () => grammar(dialect, { tools, ...named(options) });
    if (error) {
      assert.throws(make, (thrown) => thrown instanceof ToolglotError && thrown.kind === "failed" && thrown.message === error);
      continue;
    }
    const { preserved_tokens: preservedTokens, ...rest } = wanted;
    assert.deepEqual(make(), { ...rest, preservedTokens }, `${dialect} ${JSON.stringify(options)}`);
  }
});

test("what cannot be made says why", { skip }, () => {
  const tools = [{ name: "ls" }];
  const says = (options, words) => assert.throws(() => grammar("hermes", { tools, ...options }), words);
  says({ form: "ebnf" }, /invalid value `ebnf` for form; use gbnf, lark/);
  says({ toolChoice: "rm" }, /unknown tool `rm`; declared.* ls/);
  assert.throws(() => grammar("hermez", { tools }), /hermes/);
});

test("a misspelt option is an error", () => {
  assert.throws(() => grammar("hermes", { toolChoise: "auto" }), /toolChoice/);
});
