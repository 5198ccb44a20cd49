/**
 * Parses tool calls from the text of language models, in every dialect, whole or streamed.
 *
 * @packageDocumentation
 */

import { init } from "./bare.js";
import { decodeBase64 } from "./base64.js";
import { base64 } from "./inline.js";

init(() => new WebAssembly.Module(decodeBase64(base64)));

export * from "./bare.js";
