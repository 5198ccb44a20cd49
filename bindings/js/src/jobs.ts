/// <reference lib="esnext.disposable" preserve="true" />
/** What is done in one go: parse, repair, detect, explain, near miss, inspect, render, grammars, dialects made and tried. */

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

/** Reads a whole text. */
export function parse(text: string | Uint8Array, options: ReadOptions = {}): Message {
  const [home, dialects, tools] = ready("parse", options);
  return decodeMessage(home.ask("tg_parse", dialects, tools, ...home.put(optionsText(options), text)));
}

/** Reads a whole text and says why it was read so. */
export function explain(text: string | Uint8Array, options: ReadOptions = {}): { steps: Step[]; message: Message } {
  const [home, dialects, tools] = ready("explain", options);
  const json = home.ask("tg_explain", dialects, tools, ...home.put(optionsText(options), text));
  const { steps, message } = JSON.parse(json) as { steps: Step[]; message: RawMessage };
  return { steps, message: messageOf(message) };
}

/** Says why a text that looks like a call was read as none; null for a text with calls, and for prose. */
export function nearMiss(text: string | Uint8Array, options: ReadOptions = {}): NearMiss | null {
  const [home, dialects, tools] = ready("nearMiss", options);
  return JSON.parse(home.ask("tg_near_miss", dialects, tools, ...home.put(optionsText(options), text))) as NearMiss | null;
}

/** Reads a whole text and tells what became of every byte, and when each piece went out. */
export function inspect(text: string | Uint8Array, options: ReadOptions = {}): Inspection {
  return spelledOut(inspectRows(text, options));
}

/** As `inspect`, in a form that is several times as fast to make for long texts. */
export function inspectRows(text: string | Uint8Array, options: ReadOptions = {}): InspectionRows {
  const [home, dialects, tools] = ready("inspect", options);
  const json = home.ask("tg_inspect", dialects, tools, ...home.put(optionsText(options), text));
  const { message, ...rest } = JSON.parse(json) as Omit<InspectionRows, "message"> & { message: RawMessage };
  return { message: messageOf(message), ...rest };
}

/**
 * Reads the `arguments` string of a call alone: whatever it is written in, JSON comes out or an honest failure.
 *
 * `tool` names the tool that is called; without it, it is the only one that is declared.
 */
export function repair(text: string, options: ReadOptions & { tool?: string | undefined } = {}): Repaired {
  const [home, dialects, tools] = ready("repair", options, "tool");
  const words = home.put(options.tool ?? "", optionsText(options), text);
  return JSON.parse(home.ask("tg_repair", dialects, tools, ...words)) as Repaired;
}

const SOURCES = { output: 0, template: 1, model: 2 } as const;

/** Returns the dialects that a model's output, its chat template or its name speaks for, the best first. */
export function detect(
  subject: string,
  options: DialectChoice & { from?: keyof typeof SOURCES | undefined; tools?: ReadOptions["tools"] } = {},
): Verdict[] {
  const [home, dialects, tools] = ready("detect", options, "from");
  const source = SOURCES[options.from ?? "output"];
  return JSON.parse(home.ask("tg_detect", dialects, tools, source, ...home.put(subject))) as Verdict[];
}

/** Returns the dialects that are built in, and those of your own files. */
export function dialects(choice: DialectChoice = {}): Dialect[] {
  const home = engine();
  return JSON.parse(home.ask("tg_dialects_list", choiceOf(home, "dialects", choice))) as Dialect[];
}

/** Returns the text of a dialect file that reads an example as what it means; an example that allows none is an error. */
export function sketch(example: Example): string {
  const home = engine();
  return home.ask("tg_sketch", ...home.put(JSON.stringify(example)));
}

/** Tries a dialect: writes two calls with values of every kind and reads them back. */
export function certify(dialect: string, choice: DialectChoice = {}): Certificate {
  const home = engine();
  return JSON.parse(home.ask("tg_certify", choiceOf(home, "certify", choice), ...home.put(dialect))) as Certificate;
}

/**
 * Returns the grammar that holds a model to a dialect and its tools, for the engine that samples.
 *
 * What the dialect cannot express, or no grammar holds, is an error that says what to do.
 */
export function grammar(dialect: string, options: GrammarOptions = {}): Grammar {
  const home = engine();
  const words = [dialect, toolsText(options.tools), grammarText(options)];
  const of = dialectsOf(home, { files: options.files });
  const json = home.ask("tg_grammar", of, ...home.put(...words));
  const { preserved_tokens: preservedTokens, ...rest } = JSON.parse(json) as Omit<Grammar, "preservedTokens"> & { preserved_tokens: string[] };
  return { ...rest, preservedTokens };
}

/** Returns an id for the call at an index that carries none: the same seed and index give the same id. */
export function mint(seed: number | bigint, index: number): string {
  return engine().ask("tg_mint", BigInt(seed), index);
}

const RENDERER = new Set(["tools", "files"]);

/** Writes messages as a model of one dialect would. */
export class Renderer {
  readonly #handle: Handle;

  constructor(dialect: string, options: Pick<ReadOptions, "tools" | "files"> = {}) {
    checkNames("Renderer", options, RENDERER);
    const home = engine();
    const [of, tools] = [dialectsOf(home, { files: options.files }), toolsOf(home, options.tools)];
    const words = home.put(dialect) as [number, number];
    this.#handle = new Handle(home, "tg_renderer_free", home.make("tg_renderer_new", of, tools, ...words));
  }

  /** Returns the text; a message that the dialect cannot express is an error. */
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
