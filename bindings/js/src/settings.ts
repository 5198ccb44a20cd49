/** Settings in the module's form, and cached handles of dialects and tools. */

import { engine, ToolglotError, type Engine } from "./engine.js";
import { checkNames } from "./names.js";
import type { DialectChoice, ExchangeOptions, GrammarOptions, Limits, Policy, ReadOptions } from "./types.js";

/** The names of options, here and in the module. */
const NAMES: readonly (readonly [keyof Policy, string])[] = [
  ["validation", "validation"],
  ["untyped", "untyped"],
  ["nullText", "null_text"],
  ["reasoningOpen", "reasoning_open"],
  ["finishReason", "finish_reason"],
  ["callsInReasoning", "calls_in_reasoning"],
  ["frame", "frame"],
  ["evidence", "evidence"],
  ["unknownTool", "unknown_tool"],
  ["acceptIncomplete", "accept_incomplete"],
  ["markedTokens", "marked_tokens"],
  ["repairs", "repairs"],
  ["limits", "limits"],
  ["idSeed", "id_seed"],
];

const CHOICE: readonly (keyof DialectChoice)[] = ["dialects", "dialect", "prefer", "files"];
const LIMITS: readonly (keyof Limits)[] = ["held", "arguments", "depth", "calls"];
const EXCHANGE: readonly Exclude<keyof ExchangeOptions, keyof DialectChoice>[] = [
  "client",
  "server",
  "policy",
  "engine",
  "forced",
  "reasoningField",
  "reasoningOpen",
  "upstreamModel",
  "seed",
  "now",
];
/** Options that an exchange sets itself or has separately. */
const NOT_OF_A_POLICY = ["reasoningOpen", "finishReason", "markedTokens", "idSeed"];

const known = {
  choice: new Set<string>(CHOICE),
  limits: new Set<string>(LIMITS),
  read: new Set<string>([...CHOICE, "tools", ...NAMES.map(([name]) => name)]),
  exchange: new Set<string>([...CHOICE, ...EXCHANGE]),
  policy: new Set<string>(NAMES.map(([name]) => name).filter((name) => !NOT_OF_A_POLICY.includes(name))),
};

function checkRead(what: string, options: ReadOptions, more: string[]): void {
  checkNames(what, options, more.length > 0 ? new Set([...known.read, ...more]) : known.read);
  if (options.limits) checkNames("`limits`", options.limits, known.limits);
}

/** Throws if an exchange has no such option; `more` are additional names. */
export function checkExchange(what: string, options: ExchangeOptions, ...more: string[]): void {
  checkNames(what, options, new Set([...known.exchange, ...more]));
  const { policy } = options;
  if (policy) checkNames("`policy`", policy, known.policy);
  if (policy?.limits) checkNames("`limits`", policy.limits, known.limits);
}

function policy(options: Policy): Record<string, unknown> {
  const set: Record<string, unknown> = {};
  for (const [ours, theirs] of NAMES) if (options[ours] !== undefined) set[theirs] = options[ours];
  return set;
}

/** Returns options as JSON. */
export function optionsText(options: Policy): string {
  return JSON.stringify(policy(options));
}

/** Returns a random seed for call ids. */
export function drawSeed(): number {
  return Math.floor(Math.random() * 2 ** 53);
}

/** Returns the settings of an exchange as JSON. */
export function exchangeText(options: ExchangeOptions): string {
  return JSON.stringify({
    client: options.client,
    server: options.server,
    options: policy(options.policy ?? {}),
    engine: options.engine,
    forced: options.forced,
    reasoning_field: options.reasoningField,
    reasoning_open: options.reasoningOpen,
    upstream_model: options.upstreamModel,
    seed: options.seed ?? drawSeed(),
    now: options.now ?? Math.floor(Date.now() / 1000),
  });
}

/** The names of a grammar's options, here and in the module. */
const GRAMMAR: readonly (readonly [Exclude<keyof GrammarOptions, "tools" | "files">, string])[] = [
  ["form", "form"],
  ["toolChoice", "tool_choice"],
  ["parallel", "parallel"],
  ["arguments", "arguments"],
  ["reasoning", "reasoning"],
  ["content", "content"],
  ["allSpellings", "all_spellings"],
  ["strict", "strict"],
  ["answer", "answer"],
  ["tokens", "tokens"],
  ["lazy", "lazy"],
  ["openai", "openai"],
];
const GRAMMAR_NAMES = new Set(["tools", "files", ...GRAMMAR.map(([name]) => name)]);

/** Returns a grammar's options as JSON. */
export function grammarText(options: GrammarOptions): string {
  checkNames("grammar", options, GRAMMAR_NAMES);
  return JSON.stringify(Object.fromEntries(GRAMMAR.map(([ours, theirs]) => [theirs, options[ours]])));
}

/** Returns declared tools as JSON. */
export function toolsText(declared: ReadOptions["tools"]): string {
  return typeof declared === "string" ? declared : declared === undefined ? "" : JSON.stringify(declared);
}

/** Maximum number of cached handles of a kind. */
const KEPT = 32;

/** Handles by the text they were created from; the least recently used are freed. */
class Kept {
  readonly #handles = new Map<string, number>();
  #engine: Engine | undefined;

  constructor(
    readonly make: string,
    readonly free: string,
  ) {}

  of(home: Engine, text: string): number {
    if (text === "") return 0;
    if (this.#engine !== home) {
      this.#handles.clear();
      this.#engine = home;
    }
    let handle = this.#handles.get(text);
    if (handle === undefined) handle = home.make(this.make, ...home.put(text));
    else this.#handles.delete(text);
    this.#handles.set(text, handle);
    for (const [old, unused] of this.#handles) {
      if (this.#handles.size <= KEPT) break;
      this.#handles.delete(old);
      home.call(this.free, unused);
    }
    return handle;
  }
}

const dialects = new Kept("tg_dialects_new", "tg_dialects_free");
const tools = new Kept("tg_tools_new", "tg_tools_free");

/** Returns the handle of a selection of dialects; 0 means all. Valid until the next call. */
export function dialectsOf(home: Engine, choice: DialectChoice): number {
  const { files, dialect, dialects: only = dialect, prefer } = choice;
  if (dialect !== undefined && only !== dialect)
    throw new ToolglotError("invalid", "`dialect` and `dialects` are the same option; pass only one");
  const all = only === undefined || only.length === 0;
  if (!files?.length && all && prefer === undefined) return 0;
  return dialects.of(home, JSON.stringify({ files, only: all ? undefined : only, prefer }));
}

/** Returns the handle of a selection of dialects, without other options. */
export function choiceOf(home: Engine, what: string, choice: DialectChoice): number {
  checkNames(what, choice, known.choice);
  return dialectsOf(home, choice);
}

/** Returns the handle of tools; 0 means none. Valid until the next call. */
export function toolsOf(home: Engine, declared: ReadOptions["tools"]): number {
  return tools.of(home, toolsText(declared));
}

/** Returns the instance and the handles for parsing a message; `more` are names of additional options. */
export function ready(what: string, options: ReadOptions, ...more: string[]): [home: Engine, dialects: number, tools: number] {
  checkRead(what, options, more);
  const home = engine();
  return [home, dialectsOf(home, options), toolsOf(home, options.tools)];
}
