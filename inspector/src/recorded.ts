/** Saved answers and streams of the three protocols, and captures of the proxy: the text that the model wrote in them. */
import { isObject as object, type Json } from "./text/json";

/** What a recording holds. */
export interface Recorded {
  text: string;
  reasoning: string;
  /** Native calls that the server had read itself. */
  natives: number;
  tools: unknown[] | null;
  finish: string | null;
}

/** Reads a whole body, a captured stream of events, lines of JSON, or a capture; null if the text is none. */
export function recorded(source: string): Recorded | null {
  const bodies = bodiesOf(source);
  if (!bodies) return null;
  const [first] = bodies;
  if (bodies.length === 1 && typeof first?.["answer"] === "string" && object(first["request"])) {
    const inside = recorded(first["answer"]);
    return inside && { ...inside, tools: list(first["request"]["tools"]) ?? inside.tools };
  }
  const made: Recorded = { text: "", reasoning: "", natives: 0, tools: null, finish: null };
  const known = bodies.map((body) => add(made, body)).some(Boolean);
  return known ? made : null;
}

function bodiesOf(source: string): Json[] | null {
  const text = source.trim();
  if (/^(event|data|id|:)/.test(text) && /^data:/m.test(text)) {
    const data = text.split(/\r?\n/).filter((line) => line.startsWith("data:")).map((line) => line.slice(5).trim());
    return data.map(parsed).filter((it) => it !== null);
  }
  if (!text.startsWith("{")) return null;
  const whole = parsed(text);
  if (whole) return [whole];
  const lines = text.split("\n").filter((line) => line.trim() !== "").map(parsed);
  return lines.every((it) => it !== null) ? lines : null;
}

function parsed(text: string): Json | null {
  try {
    const value: unknown = JSON.parse(text);
    return object(value) ? value : null;
  } catch {
    return null;
  }
}

const string = (value: unknown) => (typeof value === "string" ? value : "");
const list = (value: unknown) => (Array.isArray(value) ? (value as Json[]) : null);

/** Takes one body or event; returns whether a protocol matched. */
function add(made: Recorded, body: Json): boolean {
  made.tools ??= list(body["tools"])?.length ? list(body["tools"]) : null;
  return chat(made, body) || responses(made, body) || messages(made, body) || ollama(made, body);
}

function chat(made: Recorded, body: Json): boolean {
  const choice = list(body["choices"])?.[0];
  if (!choice) return list(body["choices"]) !== null;
  const said = object(choice["message"]) ? choice["message"] : object(choice["delta"]) ? choice["delta"] : {};
  made.text += string(said["content"]) || string(choice["text"]);
  made.reasoning += string(said["reasoning_content"]) || string(said["reasoning"]);
  made.natives += (list(said["tool_calls"]) ?? []).filter((call) => object(call["function"]) && call["function"]["name"]).length;
  made.finish = string(choice["finish_reason"]) || made.finish;
  return true;
}

function responses(made: Recorded, body: Json): boolean {
  const type = string(body["type"]);
  if (type === "response.output_text.delta") made.text += string(body["delta"]);
  else if (/^response\.reasoning(_summary)?_text\.delta$/.test(type)) made.reasoning += string(body["delta"]);
  else if (type === "response.output_item.added" && object(body["item"]) && body["item"]["type"] === "function_call") made.natives += 1;
  else if (body["object"] === "response") for (const item of list(body["output"]) ?? []) outputItem(made, item);
  else return type.startsWith("response.");
  return true;
}

function outputItem(made: Recorded, item: Json): void {
  const texts = (list(item["content"]) ?? list(item["summary"]) ?? []).map((part) => string(part["text"])).join("");
  if (item["type"] === "message") made.text += texts;
  else if (item["type"] === "reasoning") made.reasoning += texts;
  else if (item["type"] === "function_call") made.natives += 1;
}

const STOPS: Record<string, string> = { end_turn: "stop", stop_sequence: "stop", tool_use: "tool_calls", max_tokens: "length" };

function messages(made: Recorded, body: Json): boolean {
  const type = string(body["type"]);
  const delta = object(body["delta"]) ? body["delta"] : {};
  const block = object(body["content_block"]) ? [body["content_block"]] : [];
  const stop = string(body["stop_reason"]) || string(delta["stop_reason"]);
  made.finish = STOPS[stop] ?? made.finish;
  for (const part of type === "message" ? (list(body["content"]) ?? []) : block) {
    made.text += string(part["text"]);
    made.reasoning += string(part["thinking"]);
    if (part["type"] === "tool_use") made.natives += 1;
  }
  made.text += string(delta["text"]);
  made.reasoning += string(delta["thinking"]);
  return type === "message" || /^(message|content_block)_|^ping$/.test(type);
}

function ollama(made: Recorded, body: Json): boolean {
  if (typeof body["done"] !== "boolean") return false;
  const said = object(body["message"]) ? body["message"] : body;
  made.text += string(said["content"]) || string(body["response"]);
  made.reasoning += string(said["thinking"]);
  made.natives += list(said["tool_calls"])?.length ?? 0;
  made.finish = string(body["done_reason"]) || made.finish;
  return true;
}
