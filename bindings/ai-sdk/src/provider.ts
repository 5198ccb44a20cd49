/**
 * A provider for any server that speaks OpenAI's Chat Completions, whose models write calls as text.
 *
 * @packageDocumentation
 */

import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { createFetch, type ExchangeOptions } from "toolglot";

type Settings = Parameters<typeof createOpenAICompatible>[0];

/** The settings of `createOpenAICompatible`, and how text is read. */
export interface ToolglotProviderSettings extends Omit<Settings, "name"> {
  name?: string;
  toolglot?: Omit<ExchangeOptions, "client" | "server">;
}

/**
 * Returns a provider; its models have native calls whatever the server's do.
 *
 * @example
 * const model = createToolglot({ baseURL: "http://localhost:8000/v1" })("qwen3-coder");
 */
export function createToolglot(settings: ToolglotProviderSettings): ReturnType<typeof createOpenAICompatible> {
  const { toolglot, fetch, name = "toolglot", ...rest } = settings;
  return createOpenAICompatible({ ...rest, name, fetch: createFetch({ ...toolglot, ...(fetch && { fetch }) }) });
}
