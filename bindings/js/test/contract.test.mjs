// What every case says of the core holds of the package: whole, in single bytes, in random pieces.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { Parser, parse } from "toolglot";

const path = process.env.TOOLGLOT_CASES;
const skip = path ? false : "TOOLGLOT_CASES is not set; `bindings/test js` writes the core's cases and runs them";

// Repeatable random numbers.
function dice(seed) {
  return (below) => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  };
}

function optionsOf(one) {
  const { options: o } = one;
  const options = {
    dialects: one.dialects ?? undefined,
    tools: one.tools ?? undefined,
    validation: o.validation,
    untyped: o.untyped,
    nullText: o.null_text,
    reasoningOpen: o.reasoning_open,
    finishReason: o.finish_reason,
    callsInReasoning: o.calls_in_reasoning,
    frame: o.frame,
    evidence: o.evidence,
    unknownTool: o.unknown_tool,
    acceptIncomplete: o.accept_incomplete,
    markedTokens: o.marked_tokens,
    repairs: o.repairs,
    limits: o.limits,
  };
  const known = Object.values(options).filter((value) => value !== undefined).length;
  const given = Object.keys(o).length + (one.dialects ? 1 : 0) + (one.tools === null ? 0 : 1);
  assert.equal(known, given, `${one.name} has an option that is not handed on`);
  return options;
}

function pieces(one, bytes, length) {
  const all = [];
  let from = 0;
  for (const [start, end] of [...one.special, [bytes.length, bytes.length]]) {
    while (from < start) {
      const to = Math.min(start, from + length());
      all.push([bytes.subarray(from, to), false]);
      from = to;
    }
    if (end > start) all.push([bytes.subarray(start, end), true]);
    from = end;
  }
  return all;
}

const JOINS = { text: "text", reasoning: "text", arguments: "json" };

function read(parser, pieces) {
  const events = [];
  const diagnostics = [];
  const add = (event) => {
    if (event.type === "diagnostic") {
      const { type, ...rest } = event;
      diagnostics.push(rest);
      return;
    }
    const last = events.at(-1);
    const key = JOINS[event.type];
    if (key && last?.type === event.type && last.end === event.start) {
      last[key] += event[key];
      last.end = event.end;
    } else events.push(event);
  };
  for (const [piece, special] of pieces)
    (special ? parser.pushSpecial(Buffer.from(piece).toString()) : parser.push(piece)).forEach(add);
  parser.finish().forEach(add);
  return { events, diagnostics, message: parser.message() };
}

const sorted = (diagnostics) =>
  diagnostics.map(({ code, start, end, message, dialect }) => JSON.stringify([start, end, code, message, dialect])).sort();

/** What a message says: the diagnostics of its events, and why no call was found that it looks like. */
const saidOf = (one) => (one.near_miss ? [...one.diagnostics, one.near_miss] : one.diagnostics);

const withoutIds = (message) => ({ ...message, calls: message.calls.map((call) => ({ ...call, id: "" })) });

function same(message, wanted, name) {
  const { diagnostics, finishReason, ...rest } = message;
  assert.deepEqual({ ...rest, finish_reason: finishReason }, wanted.message, name);
  assert.deepEqual(sorted(diagnostics), sorted(saidOf(wanted)), name);
}

test("the core's cases", { skip }, () => {
  const cases = JSON.parse(readFileSync(path, "utf8"));
  assert.ok(cases.length > 1000);
  const roll = dice(1);
  const ways = { whole: () => Infinity, bytes: () => 1, random: () => 1 + roll(17) };
  for (const one of cases) {
    const bytes = one.input === undefined ? Buffer.from(one.input_hex, "hex") : Buffer.from(one.input);
    const options = optionsOf(one);
    const parser = new Parser(options);
    for (const [way, length] of Object.entries(ways)) {
      const found = read(parser, pieces(one, bytes, length));
      const name = `${one.name}, ${way}`;
      assert.deepEqual(found.events, one.events, name);
      assert.deepEqual(sorted(found.diagnostics), sorted(one.diagnostics), name);
      // A parser draws what ids are made from.
      const { message } = one;
      same(withoutIds(found.message), { ...one, message: withoutIds(message) }, name);
    }
    parser.free();
    if (one.special.length === 0) same(parse(one.input ?? bytes, options), one, `${one.name}, parse`);
  }
});
