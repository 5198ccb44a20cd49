/**
 * Reads the tool calls that language models write as text, in every dialect, whole or streamed.
 *
 * @packageDocumentation
 */

import { provideModule } from "./engine.js";
import { base64 } from "./inline.js";

/** The fastest ways that platforms have; all of them have the slow one. */
const platform = globalThis as {
  Buffer?: { from(text: string, encoding: "base64"): Uint8Array<ArrayBuffer> };
};
const native = Uint8Array as { fromBase64?: (text: string) => Uint8Array<ArrayBuffer> };

function decode(text: string): Uint8Array<ArrayBuffer> {
  if (native.fromBase64) return native.fromBase64(text);
  if (platform.Buffer) return platform.Buffer.from(text, "base64");
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let at = 0; at < bytes.length; at++) bytes[at] = letters.charCodeAt(at);
  return bytes;
}

provideModule(() => new WebAssembly.Module(decode(base64)));

export * from "./bare.js";
