/** What the page works on: a text and all that it is read with. Plain data, so that it can be shared. */
import type { DialectFile, Policy, ReadOptions, Tool } from "toolglot/bare";

/** The choices that the page offers; each left out is the engine's default. */
export type Choices = Omit<Policy, "limits" | "idSeed" | "markedTokens">;

export interface Session {
  text: string;
  /** JSON, as it was typed. */
  tools: string;
  /** Names; all dialects if none. */
  dialects: string[];
  choices: Choices;
  /** Dialects of one's own, from the lab. */
  files: DialectFile[];
}

export const EMPTY: Session = { text: "", tools: "", dialects: [], choices: {}, files: [] };

/** Declared tools, or why the text is none. */
export function toolsOf(text: string): { tools: Tool[]; why: string | null } {
  if (text.trim() === "") return { tools: [], why: null };
  try {
    const value: unknown = JSON.parse(text);
    const list = Array.isArray(value) ? value : ((value as { tools?: unknown }).tools ?? [value]);
    if (!Array.isArray(list)) return { tools: [], why: "expected a list of tools" };
    const nameless = list.findIndex((tool) => typeof nameOf(tool as Tool) !== "string");
    if (nameless >= 0) return { tools: [], why: `tool ${nameless + 1} has no name` };
    return { tools: list as Tool[], why: null };
  } catch (error) {
    return { tools: [], why: (error as Error).message };
  }
}

export function nameOf(tool: Tool): string | undefined {
  if (typeof tool !== "object" || tool === null) return undefined;
  return "function" in tool ? tool.function?.name : tool.name;
}

/** What the engine is asked with. */
export function readOptions(session: Session): ReadOptions {
  const { tools } = toolsOf(session.tools);
  return {
    ...session.choices,
    tools: tools.length > 0 ? tools : undefined,
    dialects: session.dialects,
    files: session.files.length > 0 ? session.files : undefined,
    idSeed: 0,
  };
}

/** Options, their words and what they are for; the first word is the engine's default. */
export const CHOICES = [
  { key: "evidence", label: "Evidence for a call", words: ["balanced", "strict", "eager"] },
  { key: "validation", label: "Check of arguments", words: ["coerce", "lenient", "strict"] },
  { key: "repairs", label: "Repairs", words: ["safe", "exact", "none", "all"] },
  { key: "unknownTool", label: "A tool that is not declared", words: ["call", "text"] },
  { key: "callsInReasoning", label: "Calls inside reasoning", words: ["wait", "end", "quote"] },
  { key: "untyped", label: "Values without a type", words: ["infer", "string"] },
  { key: "nullText", label: "The bare text null", words: ["null", "text"] },
  { key: "finishReason", label: "The server's finish reason", words: ["", "stop", "tool_calls", "length", "content_filter"] },
] as const;

export const FLAGS = [
  { key: "reasoningOpen", label: "The prompt opened reasoning" },
  { key: "acceptIncomplete", label: "Return calls that were cut off" },
] as const;

/** Options as flags, settings and test cases spell them. */
export function snake(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The choices that differ from the defaults, as `name = value`. */
export function chosen(choices: Choices): string[] {
  const said = Object.entries(choices).filter(([, value]) => value !== undefined && value !== false && value !== "");
  return said.map(([key, value]) => `${snake(key)} = ${Array.isArray(value) ? value.join(",") : String(value)}`);
}
