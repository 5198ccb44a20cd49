/**
 * toolglot without its WebAssembly module: call `init` with the module first. For platforms that compile WebAssembly only at
 * build time, such as Cloudflare Workers, and for pages that fetch the module.
 *
 * @packageDocumentation
 */

export { init, ToolglotError, type FaultKind } from "./engine.js";
export { ARRIVAL_EVENTS, BYTE_KINDS } from "./inspection.js";
export { certify, detect, dialects, explain, grammar, inspect, inspectRows, mint, nearMiss, parse, repair, Renderer, sketch } from "./jobs.js";
export { Parser } from "./parser.js";
export { createFetch, Exchange, ParserStream } from "./streams.js";
export { ToolSet } from "./typed.js";
export type { InvalidCall, SchemaIssue, SchemaOutput, StandardSchema, ToolDefinition, TypedCall, ValidCall } from "./typed.js";
export type * from "./types.js";
