/** The WebAssembly module: memory, texts and handles. */

/** The module's exports; see `toolglot.h`. Pointers are offsets in its memory. */
interface Exports {
  readonly memory: WebAssembly.Memory;
  readonly [name: string]: unknown;
}

const ABI = 1;

/** The kind of an error: `invalid` arguments, an operation that `failed`, or a bug in toolglot (`panicked`). */
export type FaultKind = "invalid" | "failed" | "panicked";

/** An error of toolglot. Parsing text never fails. */
export class ToolglotError extends Error {
  override readonly name = "ToolglotError";
  readonly kind: FaultKind;

  constructor(kind: FaultKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

const KINDS: readonly FaultKind[] = ["panicked", "invalid", "failed", "panicked"];

/** A text in the module's memory. */
type Text = string | Uint8Array;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Longer texts are decoded by the platform. */
const SHORT = 48;

/** One instance of the module. */
export class Engine {
  readonly #exports: Exports;
  readonly out: number;
  #bytes = new Uint8Array();
  #view = new DataView(new ArrayBuffer(0));
  /** The memory for texts: one argument after the other. */
  #scratch = 0;
  #room = 0;
  /** Why the instance is unusable. */
  #broken: ToolglotError | undefined;

  constructor(module: WebAssembly.Module) {
    this.#exports = new WebAssembly.Instance(module, {}).exports as unknown as Exports;
    const version = this.call("tg_abi_version");
    if (version !== ABI) throw new ToolglotError("invalid", `the module is of ABI ${version}, the package of ${ABI}`);
    this.out = this.call("tg_buffer_new");
  }

  get broken(): boolean {
    return this.#broken !== undefined;
  }

  /** Whether the module has a function: one that was built earlier may lack it. */
  has(name: string): boolean {
    return name in this.#exports;
  }

  /** Calls a function; a trap makes the instance unusable. */
  call(name: string, ...values: (number | bigint)[]): number {
    if (this.#broken) throw this.#broken;
    const run = this.#exports[name] as ((...values: (number | bigint)[]) => number) | undefined;
    if (!run) throw new ToolglotError("invalid", `this module has no ${name}; build a newer one with bindings/renew`);
    try {
      return run(...values) >>> 0;
    } catch (error) {
      this.#broken = new ToolglotError("panicked", "toolglot panicked; report the input", { cause: error });
      throw this.#broken;
    }
  }

  get bytes(): Uint8Array {
    this.#look();
    return this.#bytes;
  }

  get view(): DataView {
    this.#look();
    return this.#view;
  }

  /** Growing the memory replaces its buffer. */
  #look(): void {
    const { buffer } = this.#exports.memory;
    if (this.#bytes.buffer !== buffer) {
      this.#bytes = new Uint8Array(buffer);
      this.#view = new DataView(buffer);
    }
  }

  /** Copies texts into the module; returns a pointer and a length for each. */
  put(...texts: Text[]): number[] {
    let need = 0;
    for (const text of texts) need += typeof text === "string" ? text.length * 3 : text.length;
    if (need > this.#room || (this.#room > 1 << 20 && need < 1 << 20)) this.#reserve(need);
    const bytes = this.bytes;
    const words: number[] = [];
    let at = this.#scratch;
    for (const text of texts) {
      let size: number;
      if (typeof text === "string") {
        size = encoder.encodeInto(text, bytes.subarray(at, at + text.length * 3)).written;
      } else {
        bytes.set(text, at);
        size = text.length;
      }
      words.push(at, size);
      at += size;
    }
    return words;
  }

  #reserve(need: number): void {
    if (this.#room > 0) this.call("tg_dealloc", this.#scratch, this.#room);
    this.#room = 0;
    const room = Math.max(need + (need >> 1), 4096);
    this.#scratch = this.call("tg_alloc", room);
    if (this.#scratch === 0) throw new ToolglotError("failed", `there is no memory for a text of ${need} bytes`);
    this.#room = room;
  }

  /** Returns a text in the module's memory. */
  text(at: number, size: number): string {
    const bytes = this.bytes;
    if (size < SHORT) {
      let text = "";
      for (let next = at; next < at + size; next++) {
        const byte = bytes[next] as number;
        if (byte > 127) return decoder.decode(bytes.subarray(at, at + size));
        text += String.fromCharCode(byte);
      }
      return text;
    }
    return decoder.decode(bytes.subarray(at, at + size));
  }

  /** Returns the output of the last function as text. */
  written(): string {
    return this.text(this.call("tg_buffer_data", this.out), this.call("tg_buffer_len", this.out));
  }

  /** Returns a copy of the bytes that the last function wrote. */
  writtenBytes(): Uint8Array<ArrayBuffer> {
    const at = this.call("tg_buffer_data", this.out);
    const bytes = this.bytes.slice(at, at + this.call("tg_buffer_len", this.out));
    return bytes as Uint8Array<ArrayBuffer>;
  }

  /** Throws unless a status is success. */
  done(status: number, why?: string): void {
    if (status !== 0) throw new ToolglotError(KINDS[status] ?? "panicked", why ?? this.written());
  }

  /** Calls a function that writes text into the buffer. */
  ask(name: string, ...values: (number | bigint)[]): string {
    this.done(this.call(name, ...values, this.out));
    return this.written();
  }

  /** Calls a function that returns a handle, or null with the reason in the buffer. */
  make(name: string, ...values: number[]): number {
    const handle = this.call(name, ...values, this.out);
    if (handle === 0) throw new ToolglotError("invalid", this.written());
    return handle;
  }
}

let provide: (() => WebAssembly.Module) | undefined;
let compiled: WebAssembly.Module | undefined;
let current: Engine | undefined;

/**
 * Sets the compiled module, or a function that returns it when it is first needed. Only for platforms where toolglot cannot
 * load the module synchronously.
 *
 * Not needed in Node, Bun, Deno and browsers if you import `toolglot`.
 */
export function init(module: WebAssembly.Module | (() => WebAssembly.Module)): void {
  if (typeof module === "function") {
    provide ??= module as () => WebAssembly.Module;
    return;
  }
  compiled = module;
  current = undefined;
}

/** Returns the instance, or a new one if the last is unusable. */
export function engine(): Engine {
  if (!current || current.broken) {
    compiled ??= provide?.();
    if (!compiled) throw new ToolglotError("invalid", "the WebAssembly module is missing; call `init` with it first, see the README");
    current = new Engine(compiled);
  }
  return current;
}
