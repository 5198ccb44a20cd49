/**
 * A provider for any server with OpenAI's Chat Completions API whose models write calls as text.
 *
 * @packageDocumentation
 */

import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { createFetch, type ExchangeOptions } from "toolglot";

type Settings = Parameters<typeof createOpenAICompatible>[0];

/** The settings of `createOpenAICompatible`, and the options of the middleware. */
export interface ToolglotProviderSettings extends Omit<Settings, "name"> {
  name?: string;
  toolglot?: Omit<ExchangeOptions, "client" | "server">;
}

/**
 * Returns a provider whose models return native calls.
 *
 * @example
 * const model = createToolglot({ baseURL: "http://localhost:8000/v1" })("qwen3-coder");
 */
export function createToolglot(settings: ToolglotProviderSettings): ReturnType<typeof createOpenAICompatible> {
  const { toolglot, fetch, name = "toolglot", ...rest } = settings;
  return createOpenAICompatible({ ...rest, name, fetch: createFetch({ ...toolglot, ...(fetch && { fetch }) }) });
}
