// Says what a token costs: measure.mjs TEXT TOOLS ROUNDS BYTES; see bindings/measure.
import { readFileSync } from "node:fs";

import { Parser } from "toolglot";

const [, , textPath, toolsPath, rounds, size] = process.argv;
const text = readFileSync(textPath, "utf8");
const tools = readFileSync(toolsPath, "utf8");

const pieces = text.match(new RegExp(`.{1,${size}}`, "gs"));
const parser = new Parser({ tools });
let best = Infinity;
let events = 0;
for (let round = 0; round < Number(rounds); round++) {
  const from = process.hrtime.bigint();
  for (const piece of pieces) events += parser.push(piece).length;
  events += parser.finish().length;
  best = Math.min(best, Number(process.hrtime.bigint() - from));
}
if (events === 0) throw new Error("no events");
console.log(`js ${(best / pieces.length).toFixed(0)}`);
