/**
 * What brings the module where there is a file system: it is read from its file, which costs a tenth of what its text does.
 * A program that may not read it, or has left it behind, has the text.
 */

import { decodeBase64 } from "./base64.js";
import { shared } from "./shared.js";

/** What differs between what is imported and what is required; see `scripts/build.mjs`. */
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
