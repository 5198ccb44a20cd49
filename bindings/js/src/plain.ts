/** Plain text of a stream, passed on without a call into the module, which costs more than the text itself. */

import type { Engine } from "./engine.js";
import type { ParserEvent } from "./types.js";

/** The longest plain piece: the module is faster at long ones. */
const LONGEST = 64;
/** How much text the module gets at once later. */
const MOST = 4096;

export class PlainText {
  /** A number other than 0 for each byte that ends plain text; undefined if the module must see the next piece. */
  #stops: Uint8Array | undefined;
  /** The tables that the parser has returned, by their place in the memory: one for text, one for reasoning. */
  readonly #tables = new Map<number, Uint8Array>();
  #type: "text" | "reasoning" = "text";
  #end = 0;
  #later = "";

  /** Returns the event of a piece that is one as it is. */
  take(piece: string): ParserEvent | undefined {
    const stops = this.#stops;
    const { length } = piece;
    if (!stops || length === 0 || length > LONGEST || this.#later.length > MOST || endsWithSpace(piece)) return undefined;
    for (let at = 0; at < length; at++) {
      const code = piece.charCodeAt(at);
      if (code > 127 || stops[code] !== 0) return undefined;
    }
    this.#later += piece;
    const start = this.#end;
    this.#end += length;
    return { type: this.#type, start, end: this.#end, text: piece };
  }

  /** Returns the text that the module has not got. */
  give(): string {
    const later = this.#later;
    this.#later = "";
    return later;
  }

  /** Says which event came last, and for which parser. */
  follow(last: ParserEvent | undefined, home: Engine, parser: number): void {
    this.#stops = undefined;
    if (last?.type !== "text" && last?.type !== "reasoning") return;
    const at = home.has("tg_parser_stop_bytes") ? home.call("tg_parser_stop_bytes", parser) : 0;
    if (at === 0) return;
    // A copy: growing the memory replaces its buffer.
    this.#stops = this.#tables.get(at) ?? home.bytes.slice(at, at + 256);
    this.#tables.set(at, this.#stops);
    [this.#type, this.#end] = [last.type, last.end];
  }

  /** The module must see the next piece. */
  stop(): void {
    this.#stops = undefined;
  }
}

/** White space other than a single space may belong to the markup that follows. */
function endsWithSpace(piece: string): boolean {
  const [before, last] = [piece.charCodeAt(piece.length - 2), piece.charCodeAt(piece.length - 1)];
  return last < 32 || (last === 32 && before <= 32);
}
