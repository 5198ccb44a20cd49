/**
 * Native tool calls in the AI SDK for models that write them as text.
 *
 * @packageDocumentation
 */

import { repair, type Diagnostic, type DialectChoice, type Policy } from "toolglot";

import { callable, declared, finished, type Content, type Finish, type Params, type Part, type SdkTool } from "./parts.js";
import { intoPrompt, KEPT, type PromptOptions } from "./prompt.js";
import { read, reading, type ReaderOptions } from "./reader.js";

export type { PromptOptions, SdkTool };

/** How a model's text is read. */
export interface ToolglotOptions extends DialectChoice, Omit<Policy, "finishReason" | "markedTokens" | "idSeed"> {
  /** Puts the tools into the prompt, for a provider that takes none; off unless told otherwise. */
  prompt?: boolean | PromptOptions | undefined;
  /** Is told what was remarkable: repairs, values that do not fit, calls that were cut off. */
  onDiagnostic?: ((diagnostic: Diagnostic) => void) | undefined;
}

// The SDK's own types, of version 3 or 4, take what this gives; it depends on neither.
/* eslint-disable @typescript-eslint/no-explicit-any */
/** A middleware for `wrapLanguageModel`. */
export interface ToolglotMiddleware<Version extends "v3" | "v4"> {
  readonly specificationVersion: Version;
  transformParams(options: { params: any; [key: string]: any }): Promise<any>;
  wrapGenerate(options: { doGenerate: () => PromiseLike<any>; params: any; [key: string]: any }): Promise<any>;
  wrapStream(options: { doStream: () => PromiseLike<any>; params: any; [key: string]: any }): Promise<any>;
}

function middleware<Version extends "v3" | "v4">(
  specificationVersion: Version,
  options: ToolglotOptions,
): ToolglotMiddleware<Version> {
  const { prompt, ...reading_ } = options;
  const settings = (params: Params): ReaderOptions | undefined => {
    const kept = params.providerOptions?.[KEPT]?.["tools"] as SdkTool[] | undefined;
    const tools = kept ?? callable(params);
    return tools.length > 0 ? { ...reading_, tools: declared(tools) } : undefined;
  };
  return {
    specificationVersion,
    async transformParams({ params }) {
      const tools = callable(params as Params);
      if (!prompt || tools.length === 0) return params;
      return intoPrompt(params as Params, tools, prompt === true ? { dialect: only(options) } : prompt);
    },
    async wrapGenerate({ doGenerate, params }) {
      const result = (await doGenerate()) as { content: Content[]; finishReason: Finish };
      const read_ = settings(params as Params);
      if (!read_) return result;
      const { content, calls } = read(result.content, result.finishReason, read_);
      return { ...result, content, finishReason: finished(result.finishReason, calls) };
    },
    async wrapStream({ doStream, params }) {
      const result = (await doStream()) as { stream: ReadableStream<Part> };
      const read_ = settings(params as Params);
      return read_ ? { ...result, stream: result.stream.pipeThrough(reading(read_)) } : result;
    },
  };
}

/** The one dialect that is read, if there is only one: then it is also the one to ask for. */
function only({ dialects }: ToolglotOptions): string | undefined {
  const names = typeof dialects === "string" ? [dialects] : (dialects ?? []);
  return names.length === 1 ? names[0] : undefined;
}

/**
 * Returns a middleware of AI SDK 7.
 *
 * @example
 * const model = wrapLanguageModel({ model: provider("qwen3-coder"), middleware: toolglot() });
 */
export function toolglot(options: ToolglotOptions = {}): ToolglotMiddleware<"v4"> {
  return middleware("v4", options);
}

/** Returns a middleware of AI SDK 6. */
export function toolglotV3(options: ToolglotOptions = {}): ToolglotMiddleware<"v3"> {
  return middleware("v3", options);
}

/**
 * Returns a `repairToolCall` of AI SDK 7 (`experimental_repairToolCall` of 6): arguments that are not JSON, or do not fit the
 * tool's schema, are read with every repair that toolglot knows. What nothing can be made of stays an error.
 */
export function repairToolCall(options: Omit<ToolglotOptions, "prompt"> = {}) {
  return async <Call extends { toolName: string; input: string }>({
    toolCall,
    inputSchema,
    error,
  }: {
    toolCall: Call;
    inputSchema: (options: { toolName: string }) => PromiseLike<unknown> | unknown;
    error?: unknown;
  }): Promise<Call | null> => {
    if ((error as { name?: string } | undefined)?.name === "AI_NoSuchToolError") return null;
    const { toolName, input } = toolCall;
    const tools = [{ name: toolName, parameters: await inputSchema({ toolName }) }];
    const { arguments: json, diagnostics } = repair(input, { ...options, tools, tool: toolName });
    for (const diagnostic of diagnostics) options.onDiagnostic?.(diagnostic);
    return json === null || json === input ? null : { ...toolCall, input: json };
  };
}
