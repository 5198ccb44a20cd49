// Builds `dist`: ES modules, CommonJS, types, and the WebAssembly module in both.
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";

process.chdir(new URL("..", import.meta.url).pathname);
const wasm = process.env.TOOLGLOT_WASM ?? "../go/internal/wasm/toolglot.wasm";
const tsc = createRequire(import.meta.url).resolve("typescript/package.json").replace("package.json", "bin/tsc");

rmSync("dist", { recursive: true, force: true });
mkdirSync("dist/cjs", { recursive: true });
mkdirSync("dist/esm", { recursive: true });
// The compiler takes the kind of module from the nearest package.json.
const manifest = JSON.parse(readFileSync("package.json", "utf8"));
const compile = (...flags) => execFileSync(process.execPath, [tsc, ...flags], { stdio: "inherit" });
compile("--project", "tsconfig.json");
compile("--project", "tsconfig.json", "--outDir", "dist/cjs", "--module", "commonjs", "--moduleResolution", "bundler");
// Node takes CommonJS whatever it is asked for: one copy of the module, which loads faster.
for (const name of ["node.js", "node.d.ts"]) rmSync(`dist/esm/${name}`);
writeFileSync("dist/cjs/package.json", '{ "type": "commonjs" }\n');

const base64 = readFileSync(wasm).toString("base64");
writeFileSync("dist/esm/inline.js", `export const base64 = "${base64}";\n`);
writeFileSync("dist/cjs/inline.js", `exports.base64 = "${base64}";\n`);
copyFileSync(wasm, "dist/toolglot.wasm");
console.log(`built ${manifest.name} ${manifest.version}`);
