/** Places in a text, in bytes of UTF-8 as the engine counts and in UTF-16 as JavaScript does. */

/** Returns how many bytes of UTF-8 a string takes; half a pair is written as U+FFFD, three bytes. */
export function byteLength(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) continue;
    if (unit < 0x800) bytes += 1;
    else if (isPair(text, at)) {
      bytes += 2;
      at += 1;
    } else bytes += 2;
  }
  return bytes;
}

function isPair(text: string, at: number): boolean {
  const high = text.charCodeAt(at);
  const low = text.charCodeAt(at + 1);
  return high >= 0xd800 && high < 0xdc00 && low >= 0xdc00 && low < 0xe000;
}

/** Both ways between bytes and units of one text. A place within a character is the place before it. */
export class Places {
  /** For each byte, and the end, the unit that it belongs to; none where both are the same. */
  readonly #units: Uint32Array | undefined;
  readonly bytes: number;

  constructor(readonly text: string) {
    this.bytes = byteLength(text);
    if (this.bytes === text.length) return;
    const units = new Uint32Array(this.bytes + 1);
    let byte = 0;
    for (let at = 0; at < text.length; at++) {
      const from = at;
      const unit = text.charCodeAt(at);
      let size = unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3;
      if (size === 3 && isPair(text, at)) {
        size = 4;
        at += 1;
      }
      for (const end = byte + size; byte < end; byte++) units[byte] = from;
    }
    units[byte] = text.length;
    this.#units = units;
  }

  /** Returns the unit at a byte. */
  unit(byte: number): number {
    if (!this.#units) return Math.min(byte, this.text.length);
    return this.#units[Math.min(byte, this.bytes)] as number;
  }

  /** Returns the first byte of a unit. */
  byte(unit: number): number {
    const units = this.#units;
    if (!units) return Math.min(unit, this.bytes);
    let [low, high] = [0, this.bytes];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((units[middle] as number) < unit) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Puts `start` and `end` of a record into units. */
  here<T extends { start: number; end: number }>(record: T): T {
    return { ...record, start: this.unit(record.start), end: this.unit(record.end) };
  }
}
