/// <reference lib="esnext.disposable" preserve="true" />
/** Functions without state: parse, repair, detect, explain, near misses, inspect, render, grammars, dialect files. */

import { engine } from "./engine.js";
import { Handle } from "./handle.js";
import { spelledOut } from "./inspection.js";
import { decodeMessage, messageOf, type RawMessage } from "./message.js";
import { checkNames } from "./names.js";
import { choiceOf, dialectsOf, grammarText, optionsText, ready, toolsOf, toolsText } from "./settings.js";
import type {
  Certificate,
  Dialect,
  DialectChoice,
  Example,
  Grammar,
  GrammarOptions,
  Inspection,
  InspectionRows,
  Message,
  NearMiss,
  ReadOptions,
  Renderable,
  Repaired,
  Step,
  Verdict,
} from "./types.js";

/** Parses a whole text. */
export function parse(text: string | Uint8Array, options: ReadOptions = {}): Message {
  const [home, dialects, tools] = ready("parse", options);
  return decodeMessage(home.ask("tg_parse", dialects, tools, ...home.put(optionsText(options), text)));
}

/** Parses a whole text and returns the steps of the parser. */
export function explain(text: string | Uint8Array, options: ReadOptions = {}): { steps: Step[]; message: Message } {
  const [home, dialects, tools] = ready("explain", options);
  const json = home.ask("tg_explain", dialects, tools, ...home.put(optionsText(options), text));
  const { steps, message } = JSON.parse(json) as { steps: Step[]; message: RawMessage };
  return { steps, message: messageOf(message) };
}

/** Returns why no call was found in a text that looks like one; null for a text with calls, and for prose. */
export function nearMiss(text: string | Uint8Array, options: ReadOptions = {}): NearMiss | null {
  const [home, dialects, tools] = ready("nearMiss", options);
  return JSON.parse(home.ask("tg_near_miss", dialects, tools, ...home.put(optionsText(options), text))) as NearMiss | null;
}

/** Parses a whole text and returns how every byte was read, and when each event was emitted. */
export function inspect(text: string | Uint8Array, options: ReadOptions = {}): Inspection {
  return spelledOut(inspectRows(text, options));
}

/** Like `inspect`, in a form that is several times as fast for long texts. */
export function inspectRows(text: string | Uint8Array, options: ReadOptions = {}): InspectionRows {
  const [home, dialects, tools] = ready("inspect", options);
  const json = home.ask("tg_inspect", dialects, tools, ...home.put(optionsText(options), text));
  const { message, ...rest } = JSON.parse(json) as Omit<InspectionRows, "message"> & { message: RawMessage };
  return { message: messageOf(message), ...rest };
}

/**
 * Repairs the `arguments` string of a call, in any notation: returns valid JSON or null.
 *
 * `tool` names the called tool; it may be omitted if only one is declared.
 */
export function repair(text: string, options: ReadOptions & { tool?: string | undefined } = {}): Repaired {
  const [home, dialects, tools] = ready("repair", options, "tool");
  const words = home.put(options.tool ?? "", optionsText(options), text);
  return JSON.parse(home.ask("tg_repair", dialects, tools, ...words)) as Repaired;
}

const SOURCES = { output: 0, template: 1, model: 2 } as const;

/** Returns the candidate dialects for a model's output, its chat template or its name, best first. */
export function detect(
  subject: string,
  options: DialectChoice & { from?: keyof typeof SOURCES | undefined; tools?: ReadOptions["tools"] } = {},
): Verdict[] {
  const [home, dialects, tools] = ready("detect", options, "from");
  const source = SOURCES[options.from ?? "output"];
  return JSON.parse(home.ask("tg_detect", dialects, tools, source, ...home.put(subject))) as Verdict[];
}

/** Returns the built-in dialects and those of your own files. */
export function dialects(choice: DialectChoice = {}): Dialect[] {
  const home = engine();
  return JSON.parse(home.ask("tg_dialects_list", choiceOf(home, "dialects", choice))) as Dialect[];
}

/** Returns the text of a dialect file for an example. Throws if no dialect fits the example. */
export function sketch(example: Example): string {
  const home = engine();
  return home.ask("tg_sketch", ...home.put(JSON.stringify(example)));
}

/** Tests a dialect: renders two calls with values of every kind and parses them again. */
export function certify(dialect: string, choice: DialectChoice = {}): Certificate {
  const home = engine();
  return JSON.parse(home.ask("tg_certify", choiceOf(home, "certify", choice), ...home.put(dialect))) as Certificate;
}

/**
 * Returns a grammar that constrains a model to a dialect and its tools.
 *
 * Throws if the dialect cannot express the options or the schemas; the error explains what to do.
 */
export function grammar(dialect: string, options: GrammarOptions = {}): Grammar {
  const home = engine();
  const words = [dialect, toolsText(options.tools), grammarText(options)];
  const of = dialectsOf(home, { files: options.files });
  const json = home.ask("tg_grammar", of, ...home.put(...words));
  const { preserved_tokens: preservedTokens, ...rest } = JSON.parse(json) as Omit<Grammar, "preservedTokens"> & { preserved_tokens: string[] };
  return { ...rest, preservedTokens };
}

/** Returns an id for the call at an index; the same seed and index give the same id. */
export function mint(seed: number | bigint, index: number): string {
  return engine().ask("tg_mint", BigInt(seed), index);
}

const RENDERER = new Set(["tools", "files"]);

/** Renders messages in a dialect. */
export class Renderer {
  readonly #handle: Handle;

  constructor(dialect: string, options: Pick<ReadOptions, "tools" | "files"> = {}) {
    checkNames("Renderer", options, RENDERER);
    const home = engine();
    const [of, tools] = [dialectsOf(home, { files: options.files }), toolsOf(home, options.tools)];
    const words = home.put(dialect) as [number, number];
    this.#handle = new Handle(home, "tg_renderer_free", home.make("tg_renderer_new", of, tools, ...words));
  }

  /** Returns the text. Throws if the dialect cannot express the message. */
  render(message: Renderable): string {
    const { home, value } = this.#handle;
    return home.ask("tg_renderer_render", value, ...home.put(JSON.stringify(message)));
  }

  /** Frees the renderer's memory. */
  free(): void {
    this.#handle.release();
  }

  /** Frees the renderer at the end of a block: `using renderer = new Renderer("hermes")`. */
  [Symbol.dispose](): void {
    this.free();
  }
}
