/** What the worker does for the page. */
import {
  certify,
  dialects,
  Exchange,
  init,
  inspectRows,
  parse,
  Parser,
  Renderer,
  sketch,
  ToolglotError,
  type Certificate,
  type Dialect,
  type DialectFile,
  type Example,
  type Protocol,
  type ReadOptions,
  type Renderable,
  type Step,
  type Tool,
} from "toolglot/bare";
import type { Moment, Reading, Story } from "./inspection";
import { Slot } from "./slot";
import { mistake, type Mistake } from "../text/mistake";

const slots = new Map<string, Slot>();

export const jobs = {
  /** Compiles the module; returns the built-in dialects. */
  async start(url: string): Promise<Dialect[]> {
    init(await compile(url));
    return dialects();
  },

  /** Reads something of every kind, so that the first text does not wait for code to be made fast. */
  warm(text: string): void {
    inspectRows(text);
  },

  /** Reads a text and keeps what is known of it under a name. */
  read(name: string, text: string, options: ReadOptions): Reading {
    const from = performance.now();
    const inspection = inspectRows(text, options);
    const slot = new Slot(text, inspection, performance.now() - from);
    slots.set(name, slot);
    return slot.reading();
  },

  story(name: string, at: number): Story | null {
    return slots.get(name)?.story(at) ?? null;
  },

  steps(name: string): Step[] {
    return slots.get(name)?.inspection.steps ?? [];
  },

  moment(name: string, at: number): Moment | null {
    return slots.get(name)?.moment(at) ?? null;
  },

  /** Returns whether a text in pieces of a size gives the same result as a whole. */
  same(text: string, size: number, options: ReadOptions): boolean {
    const parser = new Parser(options);
    for (let at = 0; at < text.length; at += size) parser.push(text.slice(at, at + size));
    parser.finish();
    const { finishReason, ...pieces } = parser.message();
    const { finishReason: reason, ...whole } = parse(text, options);
    return JSON.stringify(pieces) === JSON.stringify(whole) && finishReason === reason;
  },

  /** Returns the body that a client gets from a server which said this text. */
  body(text: string, client: Protocol, options: ReadOptions, tools: Tool[]): string {
    const messages = [{ role: "user", content: "" }];
    const declared = tools.map((tool) => toolOf(client, tool));
    const request = { model: "model", messages, input: "", max_tokens: 1024, tools: declared.length ? declared : undefined };
    const { dialects: only, dialect: _, tools: __, prefer, files, reasoningOpen, finishReason, markedTokens: ___, idSeed: seed, ...policy } = options;
    const exchange = new Exchange(request, {
      client, server: "chat", policy, forced: true, seed: seed ?? 0, now: 0,
      ...{ dialects: only, prefer, files, reasoningOpen: reasoningOpen === true },
    });
    const choice = { index: 0, finish_reason: finishReason ?? "stop", message: { role: "assistant", content: text } };
    const answer = { id: "answer", object: "chat.completion", created: 0, model: "model", choices: [choice] };
    return JSON.stringify(JSON.parse(exchange.whole(JSON.stringify(answer))), null, 2);
  },

  /** Returns what is wrong in a dialect file; null if nothing is. */
  check(file: DialectFile): Mistake | null {
    try {
      dialects({ files: [file] });
      return null;
    } catch (error) {
      return mistake((error as ToolglotError).message);
    }
  },

  /** Returns what a dialect can express. */
  certify(file: DialectFile): Certificate {
    return certify(file.name, { files: [file] });
  },

  /** Makes a dialect file from an example, or returns why there is none. */
  sketch(example: Example): { toml?: string; why?: string } {
    try {
      return { toml: sketch(example) };
    } catch (error) {
      return { why: (error as Error).message };
    }
  },

  /** Renders a message in a dialect, or returns why that is impossible. */
  write(dialect: string, message: Renderable, tools: Tool[], files: DialectFile[] = []): { text?: string; why?: string } {
    try {
      const renderer = new Renderer(dialect, { tools, files });
      const text = renderer.render(message);
      renderer.free();
      return { text };
    } catch (error) {
      return { why: (error as Error).message };
    }
  },
};

export type Jobs = typeof jobs;

/** Fetches the module, packed or not: some servers unpack it on the way, plain ones do not. */
async function compile(url: string): Promise<WebAssembly.Module> {
  let answer = await fetch(url);
  if (!answer.ok) answer = await fetch(`${url}.gz`);
  if (!answer.ok) throw new Error(`there is no ${url}`);
  if (answer.headers.get("content-type") === "application/wasm") {
    const copy = answer.clone();
    const streamed = await WebAssembly.compileStreaming(answer).catch(() => null);
    if (streamed) return streamed;
    answer = copy;
  }
  const bytes = new Uint8Array(await answer.arrayBuffer());
  const packed = bytes[0] === 0x1f && bytes[1] === 0x8b;
  if (!packed) return WebAssembly.compile(bytes);
  const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return WebAssembly.compile(await new Response(unpacked).arrayBuffer());
}

/** A declared tool in the form of a client's protocol. */
function toolOf(client: Protocol, tool: Tool): object {
  const { name, description, ...rest } = ("function" in tool ? tool.function : tool) as {
    name: string;
    description?: string;
    parameters?: unknown;
    input_schema?: unknown;
  };
  const parameters = rest.parameters ?? rest.input_schema ?? { type: "object" };
  if (client === "messages") return { name, description, input_schema: parameters };
  if (client === "responses") return { type: "function", name, description, parameters };
  return { type: "function", function: { name, description, parameters } };
}
