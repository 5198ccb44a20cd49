/** Tools for providers without tool support: described in the prompt, with calls and results as text. */

import { Renderer } from "toolglot";

import type { Params, PromptMessage, PromptPart, SdkTool } from "./parts.js";

/** How to describe tools to the model. */
export interface PromptOptions {
  /** The dialect that the model should use. Default: `hermes`. */
  dialect?: string | undefined;
  /** Returns the description of the tools; `example` is a call in the dialect. */
  instructions?: ((tools: readonly SdkTool[], example: string) => string) | undefined;
}

/** Where the tools of a request are kept once they are in its prompt. */
export const KEPT = "toolglot";

function instructions(tools: readonly SdkTool[], example: string): string {
  const list = tools.map(({ name, description, inputSchema }) =>
    JSON.stringify({ type: "function", function: { name, description, parameters: inputSchema } }),
  );
  return [
    "You may call one or more of these tools to help the user:",
    `<tools>\n${list.join("\n")}\n</tools>`,
    "To call a tool, write exactly this, with the tool's name and its arguments, and nothing behind the last call:",
    example,
  ].join("\n\n");
}

/** Returns the request with its tools in the prompt. */
export function intoPrompt(params: Params, tools: readonly SdkTool[], options: PromptOptions): Params {
  const renderer = new Renderer(options.dialect ?? "hermes");
  try {
    const example = renderer.render({ calls: [{ name: "tool_name", arguments: { parameter: "value" } }] });
    let words = (options.instructions ?? instructions)(tools, example);
    const { type, toolName } = params.toolChoice ?? {};
    if (type === "required") words += "\n\nYou must call at least one tool.";
    if (type === "tool") words += `\n\nYou must call the tool \`${toolName}\`.`;
    const { tools: _, toolChoice: __, ...rest } = params;
    const prompt = withInstructions(params.prompt.map((message) => asText(message, renderer)), words);
    return { ...rest, prompt, providerOptions: { ...params.providerOptions, [KEPT]: { tools } } };
  } finally {
    renderer.free();
  }
}

function withInstructions(prompt: PromptMessage[], words: string): PromptMessage[] {
  const [first, ...rest] = prompt;
  if (first?.role === "system" && typeof first.content === "string")
    return [{ ...first, content: `${first.content}\n\n${words}` }, ...rest];
  return [{ role: "system", content: words }, ...prompt];
}

function asText(message: PromptMessage, renderer: Renderer): PromptMessage {
  if (typeof message.content === "string") return message;
  if (message.role === "assistant") return { ...message, content: assistant(message.content, renderer) };
  if (message.role !== "tool") return message;
  const results = message.content.filter((part) => part.type === "tool-result").map(result);
  return { role: "user", content: [{ type: "text", text: results.join("\n") }] };
}

/** Calls and the text before them become one text, as the model would have written it. */
function assistant(parts: PromptPart[], renderer: Renderer): PromptPart[] {
  const calls = parts.filter((part) => part.type === "tool-call");
  if (calls.length === 0) return parts;
  const content = parts.filter((part) => part.type === "text").map((part) => part.text ?? "").join("");
  const call = ({ toolCallId, toolName, input }: PromptPart) => ({ id: toolCallId ?? "", name: toolName ?? "", arguments: input });
  const rest = parts.filter((part) => part.type !== "tool-call" && part.type !== "text");
  return [...rest, { type: "text", text: renderer.render({ content, calls: calls.map(call) }) }];
}

function result({ toolName, output }: PromptPart): string {
  const { type, value, reason } = (output ?? {}) as { type?: string; value?: unknown; reason?: string };
  const content = type === "execution-denied" ? `denied: ${reason ?? "the user did not allow it"}` : value;
  return `<tool_response>\n${JSON.stringify({ name: toolName, content })}\n</tool_response>`;
}
