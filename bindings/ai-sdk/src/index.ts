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

/** Options of the middleware. */
export interface ToolglotOptions extends DialectChoice, Omit<Policy, "finishReason" | "markedTokens" | "idSeed"> {
  /** Describes the tools in the prompt, for providers without tool support. Default: off. */
  prompt?: boolean | PromptOptions | undefined;
  /** Called with diagnostics: repairs, mismatching values, truncated calls. */
  onDiagnostic?: ((diagnostic: Diagnostic) => void) | undefined;
}

/** How each major version of the SDK names the kind of middleware that it takes. */
interface Specification {
  5: { readonly middlewareVersion: "v2" };
  6: { readonly specificationVersion: "v3" };
  7: { readonly specificationVersion: "v4" };
}

/** A middleware for `wrapLanguageModel` of a major version of the SDK. */
export type ToolglotMiddleware<Version extends keyof Specification> = Specification[Version] & {
  transformParams<CallOptions>(options: { params: CallOptions }): Promise<CallOptions>;
  wrapGenerate<Result>(options: { doGenerate: () => PromiseLike<Result>; params: unknown }): Promise<Result>;
  wrapStream<Result>(options: { doStream: () => PromiseLike<Result>; params: unknown }): Promise<Result>;
};

function middleware<Version extends keyof Specification>(
  specification: Specification[Version],
  options: ToolglotOptions,
): ToolglotMiddleware<Version> {
  const { prompt, ...reading_ } = options;
  const settings = (params: Params): ReaderOptions | undefined => {
    const kept = params.providerOptions?.[KEPT]?.["tools"] as SdkTool[] | undefined;
    const tools = kept ?? callable(params);
    return tools.length > 0 ? { ...reading_, tools: declared(tools) } : undefined;
  };
  return {
    ...specification,
    async transformParams({ params }) {
      const tools = callable(params as Params);
      if (!prompt || tools.length === 0) return params;
      return intoPrompt(params as Params, tools, prompt === true ? { dialect: only(options) } : prompt) as typeof params;
    },
    async wrapGenerate({ doGenerate, params }) {
      const given = await doGenerate();
      const read_ = settings(params as Params);
      if (!read_) return given;
      const result = given as { content: Content[]; finishReason: Finish };
      const { content, calls } = read(result.content, result.finishReason, read_);
      return { ...given, content, finishReason: finished(result.finishReason, calls) };
    },
    async wrapStream({ doStream, params }) {
      const given = await doStream();
      const read_ = settings(params as Params);
      const { stream } = given as { stream: ReadableStream<Part> };
      return read_ ? { ...given, stream: stream.pipeThrough(reading(read_)) } : given;
    },
  };
}

/** The only dialect that is read, if there is one; the prompt then asks for it. */
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
export function toolglot(options: ToolglotOptions = {}): ToolglotMiddleware<7> {
  return middleware<7>({ specificationVersion: "v4" }, options);
}

/** Returns a middleware of AI SDK 6. */
export function toolglotV6(options: ToolglotOptions = {}): ToolglotMiddleware<6> {
  return middleware<6>({ specificationVersion: "v3" }, options);
}

/** Returns a middleware of AI SDK 5. */
export function toolglotV5(options: ToolglotOptions = {}): ToolglotMiddleware<5> {
  return middleware<5>({ middlewareVersion: "v2" }, options);
}

/**
 * Returns a `repairToolCall` for AI SDK 7 (`experimental_repairToolCall` in 5 and 6), which repairs arguments that are not JSON
 * or do not match the tool's schema. Arguments that cannot be repaired remain an error.
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
    const { onDiagnostic, ...policy } = options;
    const { arguments: json, diagnostics } = repair(input, { ...policy, tools, tool: toolName });
    for (const diagnostic of diagnostics) onDiagnostic?.(diagnostic);
    return json === null || json === input ? null : { ...toolCall, input: json };
  };
}
