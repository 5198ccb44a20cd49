/** What the SDK's language models say, specifications 2 to 4 alike: only what is read or written here. */

import type { Tool } from "toolglot";

/** A tool as a call of a model declares it. */
export interface SdkTool {
  type: string;
  name: string;
  description?: string;
  inputSchema?: unknown;
}

/** What a model is called with. */
export interface Params {
  prompt: PromptMessage[];
  tools?: SdkTool[] | undefined;
  toolChoice?: { type: string; toolName?: string } | undefined;
  providerOptions?: Record<string, Record<string, unknown>> | undefined;
  [key: string]: unknown;
}

/** A part of a prompt's message. */
export type PromptPart = { type: string; text?: string; toolCallId?: string; toolName?: string; input?: unknown; output?: unknown };

/** A message of the prompt. */
export type PromptMessage = { role: string; content: string | PromptPart[]; [key: string]: unknown };

/** Why a model stopped; SDK 5 has the word alone. */
export type Finish = string | { unified: string; raw?: string | undefined };

function wordOf(finish: Finish): string {
  return typeof finish === "string" ? finish : finish.unified;
}

/** A part of a stream. */
export type Part = { type: string; id?: string; delta?: string; [key: string]: unknown };

/** A part of a whole answer. */
export type Content = { type: string; text?: string; [key: string]: unknown };

/** Returns the tools that a model may call by text; none if it may call none. */
export function callable(params: Params): SdkTool[] {
  if (params.toolChoice?.type === "none") return [];
  const tools = params.tools ?? [];
  const { type, toolName } = params.toolChoice ?? {};
  return tools.filter((tool) => tool.type === "function" && (type !== "tool" || tool.name === toolName));
}

/** Returns tools as toolglot takes them. */
export function declared(tools: readonly SdkTool[]): Tool[] {
  return tools.map(({ name, description, inputSchema }) => ({
    name,
    ...(description === undefined ? {} : { description }),
    parameters: inputSchema,
  }));
}

const ENDS: Record<string, "stop" | "length" | "content_filter" | "tool_calls"> = {
  stop: "stop",
  length: "length",
  "content-filter": "content_filter",
  "tool-calls": "tool_calls",
};

/** Returns the reason as toolglot names it, if it has one. */
export function endOf(finish: Finish | undefined): "stop" | "length" | "content_filter" | "tool_calls" | undefined {
  return finish === undefined ? undefined : ENDS[wordOf(finish)];
}

/** Returns whether a limit or a filter ended the answer. */
export function isCut(finish: Finish | undefined): boolean {
  return ["length", "content_filter"].includes(endOf(finish) ?? "");
}

/** Returns the reason of an answer with finished calls: what cut the answer goes first. */
export function finished(finish: Finish, calls: number): Finish {
  const free = ["stop", "other", "unknown"].includes(wordOf(finish));
  if (calls === 0 || !free) return finish;
  return typeof finish === "string" ? "tool-calls" : { ...finish, unified: "tool-calls" };
}
