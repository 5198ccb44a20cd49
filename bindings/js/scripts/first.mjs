// Says what the first use costs: milliseconds from the import to the end of the first message.
//
//   first.mjs TEXT TOOLS
import { readFileSync } from "node:fs";

const [text, tools] = process.argv.slice(2).map((path) => readFileSync(path, "utf8"));
const start = performance.now();
const { parse } = await import("toolglot");
if (parse(text, { tools }).calls.length === 0) throw new Error("no calls");
console.log((performance.now() - start).toFixed(2));
