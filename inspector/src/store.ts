/** The page's state, and what follows from what. */
import { effect, signal } from "@preact/signals";
import type { Dialect, Remedy, Tool } from "toolglot/bare";
import { ask, latest } from "./engine/client";
import { KINDS, type Moment, type Reading, type Story } from "./engine/inspection";
import { file, freshName } from "./lab";
import { EXAMPLES } from "./examples";
import { recorded } from "./recorded";
import { checked, fromFragment } from "./share";
import { firstNot } from "./text/find";
import { isObject, members } from "./text/json";
import { EMPTY, nameOf, readOptions, toolsOf, type Session } from "./session";

const FOUND = "This is a saved answer; the text that the model wrote was taken out of it.";

export type View = "inspect" | "lab" | "captures";

export const view = signal<View>("inspect");
export const session = signal<Session>(EMPTY);
export const reading = signal<Reading | null>(null);
/** Why the settings cannot be read with, or the engine cannot be had. */
export const failure = signal<string | null>(null);
export const known = signal<Dialect[]>([]);

/** The place that is pointed at, by mouse, caret or from the result. */
export const point = signal<number | null>(null);
export const story = signal<Story | null>(null);
/** What is pointed at in the result. */
export const pointed = signal<Target | null>(null);

/** A part of the result that spans of the text belong to. */
export interface Target {
  part: "content" | "reasoning" | "call";
  call: number;
  key: string | null;
}

/** Units of a piece; how many pieces have come, all if null. */
export const clock = signal<{ size: number; pieces: number | null }>({ size: 4, pieces: null });
export const moment = signal<Moment | null>(null);

/** What a server offers besides the page. */
export const server = signal<{ captures: boolean; version: string }>({ captures: false, version: "" });
/** A short message that goes away. */
export const note = signal("");

/** Where the text in the editor should be shown; each is another object. */
export const reveal = signal<{ at: number } | null>(null);

export function change(part: Partial<Session>): void {
  session.value = { ...session.value, ...part };
}

/** Opens another text: what was known of the old one goes. */
export function open(next: Session): void {
  session.value = next;
  clock.value = { ...clock.value, pieces: null };
  point.value = null;
  story.value = null;
  pointed.value = null;
  view.value = "inspect";
}

/** Opens a text; of a saved answer, what the model wrote in it. */
export function take(text: string): void {
  const saved = recorded(text);
  if (!saved) return open({ ...session.value, text });
  const tools = saved.tools ? JSON.stringify(saved.tools, null, 2) : session.value.tools;
  const finishReason = saved.finish as "stop" | null;
  const reasoning = saved.reasoning ? `<think>${saved.reasoning}</think>` : "";
  const { choices } = session.value;
  open({ ...session.value, text: reasoning + saved.text, tools, choices: { ...choices, finishReason: finishReason ?? undefined } });
  say(saved.natives > 0 ? `${FOUND} It has ${saved.natives} native calls besides.` : FOUND);
}

export function say(words: string): void {
  note.value = "";
  setTimeout(() => (note.value = words));
  setTimeout(() => (note.value = note.value === words ? "" : note.value), 4000);
}

/** Options whose words are those of the engine's remedies, and those that are switched on. */
const OPTIONS = {
  evidence: "evidence",
  reasoning: "callsInReasoning",
  finish_reason: "finishReason",
  unknown_tool: "unknownTool",
  validation: "validation",
  repairs: "repairs",
} as const;
const SWITCHES = { reasoning_open: "reasoningOpen", accept_incomplete: "acceptIncomplete" } as const;

/** Does what a reason proposes. */
export function apply({ kind, value }: Remedy): void {
  const { choices, dialects, tools } = session.peek();
  if (kind === "dialect") change({ dialects: [...new Set([...dialects, value])] });
  else if (kind === "file") addFile(value);
  else if (kind === "tools") change({ tools: JSON.stringify([...toolsOf(tools).tools, bareTool(value)], null, 2) });
  else if (kind === "reasoning_open" || kind === "accept_incomplete") {
    change({ choices: { ...choices, [SWITCHES[kind]]: value === "true" || undefined } });
  } else change({ choices: { ...choices, [OPTIONS[kind]]: value || undefined } });
}

/** Reads with a file that a reason proposes; the lab has it open. */
function addFile(toml: string): void {
  const { dialects, files } = session.peek();
  const own = { name: freshName(files), toml };
  file.value = own;
  change({ files: [...files, own], dialects: dialects.length > 0 ? [...dialects, own.name] : [] });
  say(`Added as ${own.name}; the dialect lab has it open.`);
}

function bareTool(name: string): Tool {
  return { type: "function", function: { name } };
}

const read = latest(
  (next: Session) => {
    performance.mark("asked");
    return ask("read", "page", next.text, readOptions(next));
  },
  (made) => {
    performance.mark("read", { detail: made.took });
    failure.value = null;
    reading.value = made;
  },
  (error) => (failure.value = error.message),
);

const tell = latest(
  (at: number | null) => (at === null ? Promise.resolve(null) : ask("story", "page", at)),
  (told) => (story.value = told),
);

const show = latest(
  (at: number | null) => (at === null ? Promise.resolve(null) : ask("moment", "page", at)),
  (now) => (moment.value = now),
);

/** Returns how far the text has come. */
export function arrived(): number | null {
  const { size, pieces } = clock.value;
  return pieces === null ? null : Math.min(pieces * size, session.value.text.length);
}

/** Returns the part of the result that a story's span went to. */
export function targetOf(told: Story | null): Target | null {
  if (!told) return null;
  if (told.call >= 0) return { part: "call", call: told.call, key: keyAt(told.start, argumentKeys(told.call)) };
  const part = told.kind === "text" ? "content" : told.kind === "reasoning" ? "reasoning" : null;
  return part && { part, call: -1, key: null };
}

/** The keys of a call's arguments. */
export function argumentKeys(call: number): Set<string> {
  const text = reading.peek()?.message.calls[call]?.arguments ?? "";
  return new Set(members(text)?.map(({ key }) => key));
}

const KEY = KINDS.indexOf("key");
const HEAD = ["marker", "name", "id"].map((kind) => KINDS.indexOf(kind as "name"));

/** The argument that a place of a call belongs to: the last of these keys before it. */
export function keyAt(at: number, keys: Set<string>): string | null {
  const spans = reading.peek()?.spans;
  if (!spans) return null;
  let index = firstNot(spans.start.length, (it) => (spans.start[it] as number) <= at) - 1;
  const call = spans.call[index];
  if (HEAD.includes(spans.kind[index] as number)) return null;
  for (; index >= 0 && spans.call[index] === call; index--) {
    if (spans.kind[index] !== KEY) continue;
    const key = bare(session.peek().text.slice(spans.start[index], spans.end[index]));
    if (keys.has(key)) return key;
  }
  return null;
}

/** A key without what is written around it. */
function bare(key: string): string {
  return key.trim().replace(/^["'`]|["'`]$/g, "");
}

/** Says of each span whether it belongs to a part of the result. */
export function belongs(target: Target | null): ((index: number) => boolean) | null {
  const spans = reading.value?.spans;
  if (!target || !spans) return null;
  if (target.part !== "call") {
    const kind = KINDS.indexOf(target.part === "content" ? "text" : "reasoning");
    return (index) => spans.kind[index] === kind && spans.call[index] === -1;
  }
  const keys = argumentKeys(target.call);
  const ofCall = (index: number) => spans.call[index] === target.call;
  if (target.key === null) return ofCall;
  return (index) => ofCall(index) && keyAt(spans.start[index] as number, keys) === target.key;
}

/** Wires the state up; returns when the engine is there. */
export async function start(): Promise<void> {
  const base = document.baseURI;
  const offered = fetch(new URL("session.json", base)).then((answer): Promise<unknown> => answer.json()).catch(() => null);
  const engine = ask("start", new URL("toolglot.wasm", base).href);
  const [said, linked] = await Promise.all([offered, fromFragment(location.hash)]);
  const given = isObject(said) ? said : {};
  server.value = { captures: given["captures"] === true, version: String(given["version"] ?? "") };
  if (linked) open(linked);
  else if (Object.keys(given).length > 0) {
    session.value = checked(given);
    take(session.value.text);
  }
  addEventListener("hashchange", () => void fromFragment(location.hash).then((it) => it && open(it)));
  try {
    known.value = await engine;
    performance.mark("ready");
  } catch (error) {
    failure.value = `The engine could not be loaded: ${(error as Error).message}`;
    return;
  }
  effect(() => read(session.value));
  effect(() => {
    void reading.value;
    tell(point.value);
  });
  effect(() => {
    void reading.value;
    show(arrived());
  });
  await warm();
}

/** Reads examples while there is nothing else to read: the browser makes the engine's code fast, and the first text does not wait for that. */
async function warm(): Promise<void> {
  for (let round = 0; round < WARM_ROUNDS; round++) {
    for (const { text } of EXAMPLES) {
      if (session.peek().text !== "") return;
      await ask("warm", `${text}\n`.repeat(8));
    }
  }
  performance.mark("warm");
}

/** A tenth of a second in the worker, in pieces of a few milliseconds. */
const WARM_ROUNDS = 4;

/** Tools without a name cannot be read with; the field says so. */
export function toolNames(): string[] {
  return toolsOf(session.value.tools).tools.map((tool) => nameOf(tool) ?? "");
}
