/** What the engine says of a text, and the form in which the page has it. Places of the engine count bytes of UTF-8. */
import { BYTE_KINDS, type ByteKind, type Diagnostic, type Mending, type Message, type Step, type WhyNot } from "toolglot/bare";

/** What a byte becomes; the order is that of `Spans.kind`. */
export const KINDS = BYTE_KINDS;

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
  repairs: Mending[];
  diagnostics: Diagnostic[];
  why: WhyNot[];
  /** How many UTF-16 units the spans cover. */
  length: number;
  /** Milliseconds that the engine took. */
  took: number;
}

/** The story of one span. */
export interface Story {
  start: number;
  end: number;
  kind: ByteKind;
  call: number;
  name: string | null;
  dialect: string | null;
  /** What was tried here. */
  steps: Step[];
  repairs: Mending[];
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
