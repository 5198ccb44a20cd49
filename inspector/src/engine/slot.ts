/** One text that was read, kept beside the engine: what the page asks about it later is answered from here. */
import { ARRIVAL_EVENTS, type ByteKind, type InspectionRows } from "toolglot/bare";
import { firstNot } from "../text/find";
import { Places } from "../text/places";
import { KINDS, type Moment, type Reading, type Spans, type Story } from "./inspection";

/** Steps, repairs and diagnostics that a story tells; more is not read by anybody. */
const TOLD = 40;

export class Slot {
  readonly #places: Places;

  constructor(
    text: string,
    readonly inspection: InspectionRows,
    readonly took: number,
  ) {
    this.#places = new Places(text);
  }

  reading(): Reading {
    const { message, repairs, why } = this.inspection;
    const here = <T extends { start: number; end: number }>(records: T[]) => records.map((it) => this.#places.here(it));
    return {
      spans: this.#spans(),
      message,
      repairs: here(repairs),
      diagnostics: here(message.diagnostics),
      why: here(why),
      length: this.#places.text.length,
      took: this.took,
    };
  }

  #spans(): Spans {
    const rows = this.inspection.spans;
    const count = rows.length / 3;
    const made: Spans = { start: new Uint32Array(count), end: new Uint32Array(count), kind: new Uint8Array(count), call: new Int32Array(count) };
    let start = 0;
    for (let index = 0; index < count; index++) {
      made.start[index] = start;
      start = made.end[index] = this.#places.unit(rows[index * 3] as number);
      made.kind[index] = rows[index * 3 + 1] as number;
      made.call[index] = rows[index * 3 + 2] as number;
    }
    return made;
  }

  /** The span at a byte, in bytes. */
  #spanAt(byte: number): { start: number; end: number; kind: number; call: number } | null {
    const { spans } = this.inspection;
    const row = 3 * firstNot(spans.length / 3, (index) => (spans[index * 3] as number) <= byte);
    if (row >= spans.length) return null;
    const [end = 0, kind = 0, call = -1] = spans.slice(row, row + 3);
    return { start: spans[row - 3] ?? 0, end, kind, call };
  }

  /** Returns the span at a position of the page; null after the end. */
  story(at: number): Story | null {
    const { steps, repairs, message } = this.inspection;
    const span = this.#spanAt(this.#places.byte(at));
    if (!span) return null;
    const touches = (it: { start: number; end: number }) =>
      it.start < span.end && (it.end > span.start || it.start >= span.start);
    const told = <T extends { start: number; end: number }>(records: T[], of: (it: T) => boolean) =>
      records.filter(of).slice(0, TOLD).map((it) => this.#places.here(it));
    return {
      ...this.#places.here(span),
      kind: KINDS[span.kind] as ByteKind,
      name: message.calls[span.call]?.name ?? null,
      dialect: this.#dialect(span.end),
      steps: told(steps, (step) => step.start >= span.start && step.start < span.end),
      repairs: told(repairs, touches),
      diagnostics: told(message.diagnostics, (it) => touches(it) && !repairs.some((repair) => repair.code === it.code)),
      until: this.#places.unit(this.#until(span.end)),
    };
  }

  /** The dialect that last won before a place. */
  #dialect(byte: number): string | null {
    const won = this.inspection.steps.filter((step) => step.action === "committed" && step.start < byte);
    return won.at(-1)?.dialect ?? null;
  }

  /** How much had to arrive before all up to a byte had gone out. */
  #until(byte: number): number {
    const { held } = this.inspection;
    const at = firstNot(held.length / 2, (index) => (held[index * 2 + 1] as number) < byte);
    return held[at * 2] ?? this.#places.bytes;
  }

  /** Returns what the client has when the text up to a position of the page has arrived. */
  moment(at: number): Moment {
    const { held, arrivals } = this.inspection;
    const byte = at >= this.#places.text.length ? this.#places.bytes : this.#places.byte(at);
    const past = firstNot(held.length / 2, (index) => (held[index * 2] as number) <= byte);
    const out = held[past * 2 - 1] ?? 0;
    const moment: Moment = { arrived: at, out: this.#places.unit(out), content: "", reasoning: "", calls: [] };
    for (const [index, text] of arrivals.text.entries()) {
      const [at = 0, number = 0, call = -1] = [arrivals.rows[index * 3], arrivals.rows[index * 3 + 1], arrivals.rows[index * 3 + 2]];
      if (at > byte) break;
      const event = ARRIVAL_EVENTS[number];
      const running = moment.calls[call];
      if (event === "text") moment.content += text;
      else if (event === "reasoning") moment.reasoning += text;
      else if (event === "call_start") moment.calls[Math.max(call, 0)] = { name: text, arguments: "", done: false };
      else if (event === "arguments" && running) running.arguments += text;
      else if (event === "call_end" && running) running.done = true;
    }
    return moment;
  }
}
