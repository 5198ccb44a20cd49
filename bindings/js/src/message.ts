/** Messages out of the module's JSON. */

import type { Message } from "./types.js";

/** A message with the module's keys. */
export type RawMessage = Omit<Message, "finishReason"> & { finish_reason: Message["finishReason"] };

/** Reads a message; its keys become those of the language. */
export function decodeMessage(json: string): Message {
  return messageOf(JSON.parse(json) as RawMessage);
}

export function messageOf({ finish_reason: finishReason, ...rest }: RawMessage): Message {
  return { ...rest, finishReason };
}
