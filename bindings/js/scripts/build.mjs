// Builds `dist`: ES modules, CommonJS, types, and the WebAssembly module in both.
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";

import { buildSync } from "esbuild";

process.chdir(new URL("..", import.meta.url).pathname);
const wasm = process.env.TOOLGLOT_WASM ?? "../go/internal/wasm/toolglot.wasm";
const tsc = createRequire(import.meta.url).resolve("typescript/package.json").replace("package.json", "bin/tsc");

rmSync("dist", { recursive: true, force: true });
mkdirSync("dist/cjs", { recursive: true });
mkdirSync("dist/esm", { recursive: true });
const manifest = JSON.parse(readFileSync("package.json", "utf8"));
const compile = (...flags) => execFileSync(process.execPath, [tsc, ...flags], { stdio: "inherit" });
compile("--project", "tsconfig.json");

// What is required is one file beside the one that brings the module: Node takes longer to find files than to read them.
compile("--project", "tsconfig.json", "--outDir", "dist/cjs", "--emitDeclarationOnly");
writeFileSync("dist/cjs/package.json", '{ "type": "commonjs" }\n');
const common = { bundle: true, format: "cjs", platform: "node", target: "es2022", external: ["./inline.js"] };
buildSync({ ...common, entryPoints: ["src/bare.ts"], outfile: "dist/cjs/bare.js" });
for (const name of ["index", "node"])
  buildSync({ ...common, external: [...common.external, "./bare.js"], entryPoints: [`src/${name}.ts`], outfile: `dist/cjs/${name}.js` });

// Node has one copy of the package, and need not look through it for the names that it exports.
const names = Object.keys(createRequire(import.meta.url)("../dist/cjs/bare.js"));
writeFileSync(
  "dist/esm/node.js",
  `import { createRequire } from "node:module";
export const { ${names.join(", ")} } = createRequire(import.meta.url)("../cjs/node.js");
`,
);

const base64 = readFileSync(wasm).toString("base64");
writeFileSync("dist/esm/inline.js", `export const base64 = "${base64}";\n`);
writeFileSync("dist/cjs/inline.js", `exports.base64 = "${base64}";\n`);
copyFileSync(wasm, "dist/toolglot.wasm");
console.log(`built ${manifest.name} ${manifest.version}`);
