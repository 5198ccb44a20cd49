/** Shares the first copy of the package in a Node process that both imports and requires it. */

import * as here from "./bare.js";

/** The version keeps different copies apart. */
declare const VERSION: string;
const copies = globalThis as { [key: symbol]: typeof here | undefined };

export const shared: typeof here = (copies[Symbol.for(`toolglot ${VERSION}`)] ??= here);
