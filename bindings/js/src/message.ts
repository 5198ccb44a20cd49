/** Messages out of the module's JSON. */

import type { Message } from "./types.js";

/** Reads a message; its keys become those of the language. */
export function decodeMessage(json: string): Message {
  const { finish_reason: finishReason, ...rest } = JSON.parse(json) as Omit<Message, "finishReason"> & {
    finish_reason: Message["finishReason"];
  };
  return { ...rest, finishReason };
}
