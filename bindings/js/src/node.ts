/**
 * toolglot where there is a file system: the module is read from its file, which costs a tenth of what the text of
 * `inline.js` does. A bundle that leaves the file behind, or a program that may not read it, has that text.
 *
 * @packageDocumentation
 */

import { init } from "./bare.js";
import { decodeBase64 } from "./base64.js";

/** What CommonJS has, which Node is given in any case. */
declare const __dirname: string;
declare function require(id: "node:fs"): { readFileSync(path: string): Uint8Array<ArrayBuffer> };
declare function require(id: "./inline.js"): { base64: string };

function bytes(): Uint8Array<ArrayBuffer> {
  try {
    return require("node:fs").readFileSync(`${__dirname}/../toolglot.wasm`);
  } catch {
    return decodeBase64(require("./inline.js").base64);
  }
}

init(() => new WebAssembly.Module(bytes()));

export * from "./bare.js";
