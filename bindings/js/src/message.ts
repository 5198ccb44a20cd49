/** Converts messages from the module's JSON. */

import type { Message } from "./types.js";

/** A message with the module's keys. */
export type RawMessage = Omit<Message, "finishReason"> & { finish_reason: Message["finishReason"] };

/** Converts a message to camel-case keys. */
export function decodeMessage(json: string): Message {
  return messageOf(JSON.parse(json) as RawMessage);
}

export function messageOf({ finish_reason: finishReason, ...rest }: RawMessage): Message {
  return { ...rest, finishReason };
}
