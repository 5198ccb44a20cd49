// Builds `dist`: ES modules, CommonJS, types, and the WebAssembly module in both.
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";

import { buildSync } from "esbuild";

process.chdir(new URL("..", import.meta.url).pathname);
const wasm = process.env.TOOLGLOT_WASM ?? "../wasm/toolglot.wasm";
const tsc = createRequire(import.meta.url).resolve("typescript/package.json").replace("package.json", "bin/tsc");

rmSync("dist", { recursive: true, force: true });
mkdirSync("dist/cjs", { recursive: true });
mkdirSync("dist/esm", { recursive: true });
const manifest = JSON.parse(readFileSync("package.json", "utf8"));
const compile = (...flags) => execFileSync(process.execPath, [tsc, ...flags], { stdio: "inherit" });
compile("--project", "tsconfig.json");

compile("--project", "tsconfig.json", "--outDir", "dist/cjs", "--emitDeclarationOnly");
writeFileSync("dist/cjs/package.json", '{ "type": "commonjs" }\n');

// Node takes longer to find files and to look for what they export than to read them: it has one file for each way in.
const names = Object.keys(await import("../dist/esm/bare.js")).join(", ");
const readers = {
  cjs: `const readModule = () => require("node:fs").readFileSync(__dirname + "/../toolglot.wasm");
const readText = () => require("./inline.js").base64;`,
  esm: `import { readFileSync } from "node:fs";
const readModule = () => readFileSync(new URL("../toolglot.wasm", import.meta.url));
const readText = () => readFileSync(new URL("./inline.js", import.meta.url), "utf8").split('"')[1];`,
};
function forNode(name, format, from, banner) {
  const contents = `${from} import { shared } from "./src/shared.ts"; export const { ${names} } = shared;`;
  const stdin = { contents, resolveDir: "." };
  const define = { VERSION: JSON.stringify(manifest.version) };
  buildSync({ stdin, bundle: true, platform: "node", target: "es2022", format, define, banner: { js: banner }, outfile: `dist/${format}/${name}.js` });
}
forNode("bare", "cjs", "", "");
for (const format of ["cjs", "esm"]) forNode("node", format, 'import { bring } from "./src/node.ts"; bring();', readers[format]);
for (const left of ["esm/shared.js", "esm/shared.d.ts", "esm/node.d.ts", "cjs/shared.d.ts", "cjs/node.d.ts"]) rmSync(`dist/${left}`);

// What requires it for a bundle has it as imports do.
buildSync({ entryPoints: ["src/index.ts"], bundle: true, format: "cjs", external: ["./bare.js", "./inline.js"], outfile: "dist/cjs/index.js" });

const base64 = readFileSync(wasm).toString("base64");
writeFileSync("dist/esm/inline.js", `export const base64 = "${base64}";\n`);
writeFileSync("dist/cjs/inline.js", `exports.base64 = "${base64}";\n`);
copyFileSync(wasm, "dist/toolglot.wasm");
console.log(`built ${manifest.name} ${manifest.version}`);
