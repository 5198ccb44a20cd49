/// <reference lib="esnext.disposable" preserve="true" />
/** The streaming parser. */

import { Handle } from "./handle.js";
import { decodeMessage } from "./message.js";
import { PlainText } from "./plain.js";
import { drawSeed, optionsText, ready } from "./settings.js";
import type { Engine } from "./engine.js";
import type { ParserEvent, FinishReason, Message, ReadOptions } from "./types.js";

/** The layout of a record in the module's memory. */
const RECORD = 48;

const FAILED = "the parser failed; create a new one";

/**
 * Parses one message at a time, in pieces of any size.
 *
 * @example
 * const parser = new Parser({ tools });
 * for (const piece of pieces)
 *   for (const event of parser.push(piece)) if (event.type === "text") write(event.text);
 * parser.finish();
 * run(parser.message().calls);
 */
export class Parser {
  readonly #handle: Handle;
  readonly #home: Engine;
  /** The high surrogate of a character that was split between pieces. */
  #half = "";
  readonly #plain = new PlainText();

  constructor(options: ReadOptions = {}) {
    const [home, dialects, tools] = ready("Parser", options);
    const text = optionsText({ ...options, idSeed: options.idSeed ?? drawSeed() });
    const value = home.make("tg_parser_new", dialects, tools, ...(home.put(text) as [number, number]));
    this.#home = home;
    this.#handle = new Handle(home, "tg_parser_free", value);
    home.done(home.call("tg_parser_collect", value), "the parser puts no message together");
  }

  /** Parses the next piece, which may be cut anywhere, even inside a character. */
  push(piece: string | Uint8Array): ParserEvent[] {
    if (typeof piece !== "string") return [...this.#rest(), ...this.#push(piece)];
    const plain = this.#half === "" && this.#plain.take(piece);
    if (plain) return [plain];
    let text = this.#half + piece;
    this.#half = "";
    const last = text.charCodeAt(text.length - 1);
    if (last >= 0xd800 && last < 0xdc00) {
      this.#half = text.slice(-1);
      text = text.slice(0, -1);
    }
    return this.#push(text);
  }

  /** Parses a special token; see `markedTokens`. */
  pushSpecial(token: string): ParserEvent[] {
    const rest = this.#rest();
    this.#catchUp();
    const handle = this.#handle.value;
    const [at, size] = this.#home.put(token) as [number, number];
    return [...rest, ...this.#step(this.#home.call("tg_parser_push_special", handle, at, size))];
  }

  /** Ends the message. The next push begins a new one. */
  finish(): ParserEvent[] {
    const rest = this.#rest();
    this.#catchUp();
    return [...rest, ...this.#step(this.#home.call("tg_parser_finish", this.#handle.value))];
  }

  /**
   * Parses a message from a stream or a list of pieces to its end, and yields events as they are found. If the stream fails,
   * the rest of the text is yielded before the error.
   *
   * @example
   * for await (const event of parser.read(response.body)) …
   */
  async *read(pieces: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>): AsyncGenerator<ParserEvent, void, void> {
    try {
      for await (const piece of pieces) yield* this.push(piece);
    } catch (error) {
      yield* this.finish();
      throw error;
    }
    yield* this.finish();
  }

  /** Sets why the server ended the message, if that is known only at the end. */
  setFinishReason(reason: FinishReason): void {
    const handle = this.#handle.value;
    const [at, size] = this.#home.put(reason) as [number, number];
    this.#home.done(
      this.#home.call("tg_parser_set_finish_reason", handle, at, size),
      `unknown finish reason \`${reason}\``,
    );
  }

  /** Returns the message so far. It is complete after `finish`, until the next push. */
  message(): Message {
    this.#catchUp();
    return decodeMessage(this.#home.ask("tg_parser_message", this.#handle.value));
  }

  /** The dialect of the message's first call. */
  get dialect(): string | null {
    return this.#home.ask("tg_parser_dialect", this.#handle.value) || null;
  }

  /** Frees the parser's memory. Otherwise it is freed when the parser is garbage-collected. */
  free(): void {
    this.#plain.stop();
    this.#handle.release();
  }

  /** Frees the parser at the end of a block: `using parser = new Parser()`. */
  [Symbol.dispose](): void {
    this.free();
  }

  #push(piece: string | Uint8Array): ParserEvent[] {
    this.#catchUp();
    const handle = this.#handle.value;
    const [at, size] = this.#home.put(piece) as [number, number];
    return this.#step(this.#home.call("tg_parser_push", handle, at, size));
  }

  /** Pushes an unpaired surrogate, which is read as U+FFFD. */
  #rest(): ParserEvent[] {
    const half = this.#half;
    this.#half = "";
    return half === "" ? [] : this.#push(half);
  }

  /** Pushes the plain text that the module has not got. */
  #catchUp(): void {
    const text = this.#plain.give();
    if (text === "") return;
    const handle = this.#handle.value;
    const [at, size] = this.#home.put(text) as [number, number];
    this.#home.done(this.#home.call("tg_parser_push", handle, at, size), FAILED);
  }

  #step(status: number): ParserEvent[] {
    const home = this.#home;
    const handle = this.#handle.value;
    this.#plain.stop();
    home.done(status, FAILED);
    const count = home.call("tg_parser_event_count", handle);
    if (count === 0) return [];
    let at = home.call("tg_parser_events", handle);
    const events: ParserEvent[] = [];
    for (let left = count; left > 0; left--, at += RECORD) events.push(event(home, at));
    this.#plain.follow(events.at(-1), home, handle);
    return events;
  }
}

function event(home: Engine, at: number): ParserEvent {
  const view = home.view;
  const word = (place: number) => view.getUint32(at + place, true);
  // Texts are shorter than 2^53 bytes, so a number can represent every position.
  const long = (place: number) => word(place) + word(place + 4) * 2 ** 32;
  const text = (place: number) => home.text(word(place), word(place + 4));
  const textOrNull = (place: number) => (word(place) === 0 ? null : text(place));
  const span = { start: long(8), end: long(16) };
  switch (word(0)) {
    case 0:
      return { type: "text", ...span, text: text(24) };
    case 1:
      return { type: "reasoning", ...span, text: text(24) };
    case 3:
      return { type: "call_start", ...span, index: word(4), id: textOrNull(40), name: text(32) };
    case 4:
      return { type: "arguments", ...span, index: word(4), json: text(24) };
    case 5: {
      const outcome = text(32) as "complete";
      return { type: "call_end", ...span, index: word(4), id: textOrNull(40), outcome };
    }
    case 6:
      return { type: "diagnostic", ...span, code: text(32), message: text(24), dialect: textOrNull(40) };
    default:
      return { type: "markup", ...span };
  }
}
