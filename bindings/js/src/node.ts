/**
 * Loads the module where there is a file system: from its file, which takes a tenth of the time of decoding its text. Programs
 * that cannot read the file use the text.
 */

import { decodeBase64 } from "./base64.js";
import { shared } from "./shared.js";

/** What differs between ES modules and CommonJS; see `scripts/build.mjs`. */
declare function readModule(): Uint8Array<ArrayBuffer>;
declare function readText(): string;

function bytes(): Uint8Array<ArrayBuffer> {
  try {
    return readModule();
  } catch {
    return decodeBase64(readText());
  }
}

export function bring(): void {
  shared.init(() => new WebAssembly.Module(bytes()));
}
