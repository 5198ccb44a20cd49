/** What the engine says of a text, and the form in which the page has it. Places of the engine count bytes of UTF-8. */
import type { Diagnostic, FinishReason, Message } from "toolglot/bare";

/** What a byte became; the order is that of `Spans.kind`. */
export const KINDS = [
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
] as const;
export type Kind = (typeof KINDS)[number];

export interface Span {
  start: number;
  end: number;
  kind: Kind;
  call?: number | null;
}

export interface Repair {
  code: string;
  class: string;
  start: number;
  end: number;
  message: string;
  before: string;
  after: string;
}

export interface Step {
  action: string;
  start: number;
  end: number;
  dialect: string | null;
  detail: string;
}

/** Something that went out when so many bytes had come in. */
export interface Arrival {
  at: number;
  event: string;
  call?: number | null;
  text?: string | null;
}

export interface Fix {
  kind: "tools" | "evidence" | "dialect" | "reasoning" | "finish_reason";
  value: unknown;
}

export interface Why {
  reason: string;
  message: string;
  start: number;
  end: number;
  fix: Fix | null;
}

/** The engine's own answer. */
export interface Inspection {
  message: Message & { finish_reason?: FinishReason };
  spans: Span[];
  repairs: Repair[];
  steps: Step[];
  arrivals: Arrival[];
  /** How far the input had come, and how much of it had gone out. */
  held: [arrived: number, out: number][];
  why: Why[];
}

/** Spans in the units of the page: places in a JavaScript string, one entry each. */
export interface Spans {
  start: Uint32Array;
  end: Uint32Array;
  kind: Uint8Array;
  /** The call's number, or -1. */
  call: Int32Array;
}

/** What the page keeps of an inspection; the rest it asks for. */
export interface Reading {
  spans: Spans;
  message: Message;
  repairs: Repair[];
  diagnostics: Diagnostic[];
  why: Why[];
  /** How many UTF-16 units the spans cover. */
  length: number;
  /** Milliseconds that the engine took. */
  took: number;
}

/** The story of one span. */
export interface Story {
  start: number;
  end: number;
  kind: Kind;
  call: number;
  name: string | null;
  dialect: string | null;
  /** What was tried here. */
  steps: Step[];
  repairs: Repair[];
  diagnostics: Diagnostic[];
  /** The place up to which the text had to arrive before this went out. */
  until: number;
}

/** What the client has when the text has come up to a place. */
export interface Moment {
  arrived: number;
  /** Up to where the text had gone out. */
  out: number;
  content: string;
  reasoning: string;
  calls: { name: string; arguments: string; done: boolean }[];
}
