/** The proxy's captures, as its server lists them. */
import { isObject, type Json } from "./text/json";

export interface Capture {
  name: string;
  time: number | null;
  model: string;
  miss: string | null;
  repairs: number;
}

export interface Filter {
  words: string;
  misses: boolean;
  repairs: boolean;
}

/** Reads the list; members that are not there are left out. */
export function captureList(body: unknown): Capture[] {
  const list = Array.isArray(body) ? body : isObject(body) && Array.isArray(body["captures"]) ? body["captures"] : [];
  return list.map((it: unknown) => (typeof it === "string" ? row({ name: it }) : row(isObject(it) ? it : {}))).filter(({ name }) => name !== "");
}

function row(it: Json): Capture {
  const miss = Array.isArray(it["miss"]) ? it["miss"].join(": ") : it["miss"];
  return {
    name: String(it["name"] ?? it["file"] ?? ""),
    time: typeof it["time"] === "number" ? it["time"] : null,
    model: String(it["model"] ?? ""),
    miss: typeof miss === "string" && miss !== "" ? miss : null,
    repairs: Array.isArray(it["repairs"]) ? it["repairs"].length : Number(it["repairs"] ?? 0),
  };
}

export function filtered(captures: readonly Capture[], { words, misses, repairs }: Filter): Capture[] {
  const sought = words.toLowerCase();
  return captures.filter(
    (it) => (!misses || it.miss !== null) && (!repairs || it.repairs > 0) && `${it.name} ${it.model} ${it.miss ?? ""}`.toLowerCase().includes(sought),
  );
}

/** The lines of two texts: `-` only before, `+` only after. Long texts are compared at their ends only. */
export function difference(before: string, after: string): { sign: " " | "-" | "+"; line: string }[] {
  const [a, b] = [before.split("\n"), after.split("\n")];
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < Math.min(a.length, b.length) - head && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1;
  const line = (sign: " " | "-" | "+") => (text: string) => ({ sign, line: text });
  return [
    ...a.slice(0, head).map(line(" ")),
    ...a.slice(head, a.length - tail).map(line("-")),
    ...b.slice(head, b.length - tail).map(line("+")),
    ...a.slice(a.length - tail).map(line(" ")),
  ];
}
