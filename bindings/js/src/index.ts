/**
 * Reads the tool calls that language models write as text, in every dialect, whole or streamed.
 *
 * @packageDocumentation
 */

import { init } from "./bare.js";
import { decodeBase64 } from "./base64.js";
import { base64 } from "./inline.js";

init(() => new WebAssembly.Module(decodeBase64(base64)));

export * from "./bare.js";
