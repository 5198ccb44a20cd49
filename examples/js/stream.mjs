// Reads a model's answer from standard input as it arrives, prints text at once and calls when they end.
//
//   npm install && node stream.mjs < answer.txt
import { readFileSync } from "node:fs";
import { Readable } from "node:stream";
import { ParserStream } from "toolglot";

const tools = readFileSync(new URL("../tools.json", import.meta.url), "utf8");
const write = (text) => process.stdout.write(text);
for await (const event of Readable.toWeb(process.stdin).pipeThrough(new ParserStream({ tools }))) {
  if (event.type === "text") write(event.text);
  if (event.type === "call_start") write(`\n-> ${event.name} `);
  if (event.type === "arguments") write(event.json);
  if (event.type === "call_end") write(` (${event.outcome})\n`);
}
