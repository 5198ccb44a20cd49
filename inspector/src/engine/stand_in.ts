/** Until the engine says it itself. */
import { explain, Parser, type ReadOptions } from "toolglot/bare";
import type { Inspection } from "./inspection";
import { byteLength } from "../text/places";

export function inspect(text: string, options: ReadOptions): Inspection {
  const { steps, message } = explain(text, options);
  const parser = new Parser(options);
  const spans: Inspection["spans"] = [];
  const arrivals: Inspection["arrivals"] = [];
  const held: Inspection["held"] = [];
  let at = 0, out = 0;
  const take = (events: ReturnType<Parser["push"]>) => {
    for (const e of events) {
      if (e.type === "diagnostic") continue;
      const kind = e.type === "text" || e.type === "reasoning" ? e.type : e.type === "arguments" ? "value" : e.type === "call_start" ? "name" : "marker";
      const call = "index" in e ? e.index : null;
      out = Math.max(out, e.end);
      const last = spans.at(-1);
      if (last && last.kind === kind && last.call === call) last.end = e.end;
      else if (e.end > e.start) spans.push({ start: e.start, end: e.end, kind, call });
      arrivals.push({ at, event: e.type, call, text: "text" in e ? e.text : "json" in e ? e.json : "name" in e ? e.name : null });
    }
    held.push([at, out]);
  };
  for (const letter of text) {
    at += byteLength(letter);
    take(parser.push(letter));
  }
  take(parser.finish());
  const repairs = message.diagnostics.map((d) => ({ ...d, class: "repair", before: text.slice(d.start, d.end), after: "" }));
  return { message, steps, spans, arrivals, held, repairs, why: [] };
}
