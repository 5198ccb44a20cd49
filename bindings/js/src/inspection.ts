/** Converts inspections from flat arrays of numbers to objects. */

import type { Arrival, ByteKind, Inspection, InspectionRows, Stretch } from "./types.js";

/** How a byte was read; the index is the module's number. */
export const BYTE_KINDS = [
  "text",
  "reasoning",
  "marker",
  "name",
  "id",
  "key",
  "value",
  "punctuation",
  "repaired",
  "skipped",
] as const satisfies readonly ByteKind[];

/** The emitted events; the index is the module's number. */
export const ARRIVAL_EVENTS = ["text", "reasoning", "call_start", "arguments", "call_end"] as const satisfies readonly Arrival["event"][];

export function spelledOut({ spans, arrivals, held, ...rest }: InspectionRows): Inspection {
  const stretch = ([end, kind, call]: number[], index: number): Stretch =>
    ({ start: spans[index * 3 - 3] ?? 0, end: end as number, kind: BYTE_KINDS[kind as number] as ByteKind, ...numbered(call) });
  const arrival = ([at, event, call]: number[], index: number): Arrival =>
    ({ at: at as number, event: ARRIVAL_EVENTS[event as number] as Arrival["event"], ...numbered(call), text: arrivals.text[index] as string });
  return { ...rest, spans: rows(spans, 3).map(stretch), arrivals: rows(arrivals.rows, 3).map(arrival), held: rows(held, 2) as [number, number][] };
}

function numbered(call: number | undefined): { call?: number } {
  return call === undefined || call < 0 ? {} : { call };
}

function rows(numbers: number[], width: number): number[][] {
  return Array.from({ length: numbers.length / width }, (_, row) => numbers.slice(row * width, row * width + width));
}
