/** Text of a model to parts of the SDK, in the order in which the model said them. */

import { mint, Parser, repair, type Diagnostic, type ParserEvent, type ReadOptions } from "toolglot";

import { endOf, finished, isCut, type Content, type Finish, type Part } from "./parts.js";

export interface ReaderOptions extends ReadOptions {
  onDiagnostic?: ((diagnostic: Diagnostic) => void) | undefined;
}

/** Reads the text of one answer. */
export class Reader {
  readonly #parser: Parser;
  readonly #seed = Math.floor(Math.random() * 2 ** 53);
  readonly #taken = new Set<string>();
  readonly #options: ReaderOptions;
  /** The block that is open, and how many there were. */
  #open: { type: "text" | "reasoning"; id: string } | undefined;
  #blocks = 0;
  /** Calls that began, by their numbers. */
  readonly #started = new Map<number, { id: string; name: string; input: string }>();
  #reading = false;
  calls = 0;

  constructor(options: ReaderOptions) {
    const { onDiagnostic: _, ...read } = options;
    this.#options = options;
    this.#parser = new Parser(read);
  }

  /** Ids of calls that the provider made are taken. */
  take(id: string): void {
    this.#taken.add(id);
  }

  push(text: string, id: string): Part[] {
    this.#reading = true;
    return this.#parts(this.#parser.push(text), id);
  }

  /** Ends the text; what was held back comes out. */
  end(id: string, finish?: Finish): Part[] {
    if (!this.#reading) return [];
    this.#reading = false;
    const reason = endOf(finish);
    if (reason) this.#parser.setFinishReason(reason);
    const parts = this.#parts(this.#parser.finish(), id);
    // What was no call after all comes back as the text it was.
    for (const { text } of this.#parser.message().incomplete) parts.push(...this.#say("text", text, id));
    parts.push(...this.close());
    return parts;
  }

  free(): void {
    this.#parser.free();
  }

  close(): Part[] {
    const open = this.#open;
    this.#open = undefined;
    return open ? [{ type: `${open.type}-end`, id: open.id }] : [];
  }

  #parts(events: ParserEvent[], id: string): Part[] {
    return events.flatMap((event) => this.#part(event, id));
  }

  #part(event: ParserEvent, id: string): Part[] {
    switch (event.type) {
      case "text":
      case "reasoning":
        return this.#say(event.type, event.text, id);
      case "call_start": {
        const call = { id: this.#id(event.id, event.index), name: event.name, input: "" };
        this.#started.set(event.index, call);
        return [...this.close(), { type: "tool-input-start", id: call.id, toolName: call.name }];
      }
      case "arguments": {
        const call = this.#started.get(event.index);
        if (!call) return [];
        call.input += event.json;
        return [{ type: "tool-input-delta", id: call.id, delta: event.json }];
      }
      case "call_end": {
        const call = this.#started.get(event.index);
        this.#started.delete(event.index);
        if (!call) return [];
        const end = { type: "tool-input-end", id: call.id };
        if (event.outcome !== "complete" && event.outcome !== "repaired") return [end];
        this.calls++;
        return [end, { type: "tool-call", toolCallId: call.id, toolName: call.name, input: call.input }];
      }
      case "diagnostic": {
        const { type, ...diagnostic } = event;
        this.#options.onDiagnostic?.(diagnostic);
        return [];
      }
      default:
        return [];
    }
  }

  #say(type: "text" | "reasoning", delta: string, id: string): Part[] {
    if (delta === "") return [];
    const parts: Part[] = [];
    if (this.#open?.type !== type) {
      parts.push(...this.close());
      // The first block keeps the provider's id; later ones have ids of their own.
      this.#open = { type, id: this.#blocks === 0 && type === "text" ? id : `${id}-${this.#blocks}` };
      this.#blocks++;
      parts.push({ type: `${type}-start`, id: this.#open.id });
    }
    parts.push({ type: `${type}-delta`, id: this.#open.id, delta });
    return parts;
  }

  #id(own: string | null, index: number): string {
    let id = own ?? mint(this.#seed, index);
    for (let more = 1; this.#taken.has(id); more++) id = mint(this.#seed + more, index);
    this.#taken.add(id);
    return id;
  }
}

/** Returns whether the input of a native call is JSON. */
function isReadable({ input }: Part | Content): boolean {
  if (typeof input !== "string") return true;
  try {
    JSON.parse(input);
    return true;
  } catch {
    return false;
  }
}

/** Returns a native call whose input is JSON, if it can be made so: not where a limit may have cut it off. */
function repaired<T extends Part | Content>(part: T, options: ReaderOptions, finish?: Finish): T {
  if (isReadable(part) || isCut(finish)) return part;
  const { input, toolName } = part as { input?: unknown; toolName?: string };
  const { onDiagnostic, ...read } = options;
  const { arguments: json, diagnostics } = repair(String(input), { ...read, tool: toolName });
  for (const diagnostic of diagnostics) onDiagnostic?.(diagnostic);
  return json === null ? part : { ...part, input: json };
}

/** Turns a stream of a provider's parts into one with calls. */
export function reading(options: ReaderOptions): TransformStream<Part, Part> {
  const reader = new Reader(options);
  let last = "toolglot";
  /** Text that is over, and a native call whose input is no JSON: whether a limit cut them off, the next part says. */
  let over = false;
  let odd: Part | undefined;
  return new TransformStream({
    transform(part, controller) {
      const give = (parts: Part[]) => parts.forEach((part) => controller.enqueue(part));
      const finish = part.type === "finish" ? (part["finishReason"] as Finish) : undefined;
      if (odd) give([repaired(odd, options, finish)]);
      if (over) give(reader.end(last, finish));
      [odd, over] = [undefined, false];
      switch (part.type) {
        case "text-start":
          last = String(part.id);
          return;
        case "text-delta":
          return give(reader.push(String(part.delta ?? ""), last));
        case "text-end":
          over = true;
          return;
        case "finish":
          give(reader.end(last, finish));
          return give([{ ...part, finishReason: finished(part["finishReason"] as Finish, reader.calls) }]);
        case "tool-call":
          reader.take(String(part["toolCallId"]));
          give(reader.close());
          if (isReadable(part)) return give([part]);
          odd = part;
          return;
        case "tool-input-start":
        case "reasoning-start":
          return give([...reader.close(), part]);
        default:
          return give([part]);
      }
    },
    flush(controller) {
      if (odd) controller.enqueue(repaired(odd, options));
      for (const part of reader.end(last)) controller.enqueue(part);
      reader.free();
    },
  });
}

/** Converts the content of a whole answer to one with calls; also returns their number. */
export function read(content: Content[], finish: Finish, options: ReaderOptions): { content: Content[]; calls: number } {
  const reader = new Reader(options);
  const all: Content[] = [];
  for (const part of content) if (part.type === "tool-call") reader.take(String(part["toolCallId"]));
  for (const part of content) {
    if (part.type === "tool-call") all.push(repaired(part, options, finish));
    else if (part.type !== "text") all.push(part);
    else for (const said of [...reader.push(part.text ?? "", "text"), ...reader.end("text", finish)]) add(all, said);
  }
  const { calls } = reader;
  reader.free();
  return { content: all, calls };
}

/** Adds a part of a stream to the content of an answer. */
function add(all: Content[], part: Part): void {
  const last = all.at(-1);
  const type = part.type.replace(/-(start|delta|end)$/, "");
  if (part.type === "tool-call") all.push(part);
  else if (part.type === "text-start" || part.type === "reasoning-start") all.push({ type, text: "" });
  else if (part.type === `${last?.type}-delta` && last) last.text += part.delta ?? "";
}
