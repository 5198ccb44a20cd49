/** One copy of the package for a process of Node, which may import it here and require it there: the first that comes. */

import * as here from "./bare.js";

/** The version keeps copies apart that are not the same. */
declare const VERSION: string;
const copies = globalThis as { [key: symbol]: typeof here | undefined };

export const shared: typeof here = (copies[Symbol.for(`toolglot ${VERSION}`)] ??= here);
