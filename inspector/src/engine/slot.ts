/** One text that was read, kept beside the engine: what the page asks about it later is answered from here. */
import type { Inspection } from "toolglot/bare";
import { firstNot } from "../text/find";
import { Places } from "../text/places";
import { KINDS, type Moment, type Reading, type Spans, type Story } from "./inspection";

/** Steps, repairs and diagnostics that a story tells; more is not read by anybody. */
const TOLD = 40;

export class Slot {
  readonly #places: Places;

  constructor(
    text: string,
    readonly inspection: Inspection,
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
    const { spans } = this.inspection;
    const made: Spans = {
      start: new Uint32Array(spans.length),
      end: new Uint32Array(spans.length),
      kind: new Uint8Array(spans.length),
      call: new Int32Array(spans.length).fill(-1),
    };
    spans.forEach((span, index) => {
      made.start[index] = this.#places.unit(span.start);
      made.end[index] = this.#places.unit(span.end);
      made.kind[index] = KINDS.indexOf(span.kind);
      made.call[index] = span.call ?? -1;
    });
    return made;
  }

  /** Tells of the span at a place of the page; null behind the end. */
  story(at: number): Story | null {
    const { spans, steps, repairs, message } = this.inspection;
    const byte = this.#places.byte(at);
    const span = spans[firstNot(spans.length, (index) => (spans[index] as { end: number }).end <= byte)];
    if (!span || span.start > byte) return null;
    const touches = (it: { start: number; end: number }) =>
      it.start < span.end && (it.end > span.start || it.start >= span.start);
    const told = <T extends { start: number; end: number }>(records: T[], of: (it: T) => boolean) =>
      records.filter(of).slice(0, TOLD).map((it) => this.#places.here(it));
    const call = span.call ?? -1;
    return {
      ...this.#places.here(span),
      call,
      name: message.calls[call]?.name ?? null,
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
    const at = firstNot(held.length, (index) => (held[index] as [number, number])[1] < byte);
    return held[at]?.[0] ?? this.#places.bytes;
  }

  /** Says what the client has when the text has come up to a place of the page. */
  moment(at: number): Moment {
    const { held, arrivals } = this.inspection;
    const byte = at >= this.#places.text.length ? this.#places.bytes : this.#places.byte(at);
    const past = firstNot(held.length, (index) => (held[index] as [number, number])[0] <= byte);
    const out = held[past - 1]?.[1] ?? 0;
    const moment: Moment = { arrived: at, out: this.#places.unit(out), content: "", reasoning: "", calls: [] };
    for (const { at, event, call, text } of arrivals) {
      if (at > byte) break;
      const running = moment.calls[call ?? -1];
      if (event === "text") moment.content += text;
      else if (event === "reasoning") moment.reasoning += text;
      else if (event === "call_start") moment.calls[call ?? 0] = { name: text, arguments: "", done: false };
      else if (event === "arguments" && running) running.arguments += text;
      else if (event === "call_end" && running) running.done = true;
    }
    return moment;
  }
}
