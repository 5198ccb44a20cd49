/** The module; `scripts/build.mjs` writes it. */
export declare const base64: string;
