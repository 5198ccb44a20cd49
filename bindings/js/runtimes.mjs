// Runs the package where Node is not: Bun, Deno, an edge runtime, a Cloudflare Worker, a page in Chromium.
//
//   runtimes.mjs [RUNTIME...]; bindings/test runtimes installs what they need
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { buildSync } from "esbuild";

const here = import.meta.dirname;
const folder = mkdtempSync(join(tmpdir(), "toolglot-"));
const run = (command, ...args) => execFileSync(command, args, { cwd: folder, encoding: "utf8" }).trim().split("\n").at(-1);

// What is said everywhere: a whole text, a stream of text, arguments, a policy without `eval`.
const checks = `
  const text = '<tool_call>{"name": "ls", "arguments": {"path": "src"}}</tool_call>';
  const tools = [{ name: "ls", parameters: { properties: { path: { type: "string" } } } }];
  const stream = new ReadableStream({ start(c) { for (const letter of text) c.enqueue(letter); c.close(); } });
  let streamed = "";
  const reader = stream.pipeThrough(new ParserStream({ tools })).getReader();
  for (let step = await reader.read(); !step.done; step = await reader.read())
    if (step.value.type === "arguments") streamed += step.value.json;
  const said = [parse(text, { tools }).calls[0].arguments, streamed, repair("{'path': 'src',}", { tools }).arguments].join(" ");`;
const wanted = '{"path": "src"} {"path": "src"} {"path": "src"}';
const program = `import { parse, ParserStream, repair } from "toolglot"; ${checks} console.log(said);`;

function bundle(name, contents, platform = "browser") {
  const outfile = join(folder, name);
  const format = name.endsWith(".js") ? "iife" : "esm";
  const stdin = { contents, resolveDir: here };
  buildSync({ stdin, bundle: true, platform, format, outfile, external: ["*.wasm"], logLevel: "error" });
  return readFileSync(outfile, "utf8");
}

const runtimes = {
  bun: () => run(join(here, "node_modules/.bin/bun"), "program.mjs"),
  deno: () => run(join(here, "node_modules/.bin/deno"), "run", "--no-prompt", "--node-modules-dir=manual", "program.mjs"),
  async edge() {
    const { EdgeRuntime } = createRequire(import.meta.url)("edge-runtime");
    const initialCode = bundle("edge.js", `import { parse, ParserStream, repair } from "toolglot"; globalThis.go = async () => { ${checks} return said; };`);
    return new EdgeRuntime({ initialCode }).evaluate("go()");
  },
  async worker() {
    const { Miniflare } = await import("miniflare");
    const script = bundle("worker.mjs", `import { init, parse, ParserStream, repair } from "toolglot/bare"; import module from "./toolglot.wasm"; init(module);
      export default { async fetch() { ${checks} return new Response(said); } };`);
    const modules = [
      { type: "ESModule", path: "worker.mjs", contents: script },
      { type: "CompiledWasm", path: "toolglot.wasm", contents: readFileSync(join(here, "dist/toolglot.wasm")) },
    ];
    const worker = new Miniflare({ modules, compatibilityDate: "2025-01-01" });
    const said = await (await worker.dispatchFetch("http://worker/")).text();
    await worker.dispose();
    return said;
  },
  async chromium() {
    const { chromium } = await import("playwright-core");
    const script = bundle("page.mjs", `import { parse, ParserStream, repair } from "toolglot"; ${checks} document.title = said;`);
    const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'";
    const server = createServer(({ url }, response) => {
      const isScript = url === "/page.mjs";
      response.writeHead(200, { "content-type": isScript ? "text/javascript" : "text/html", "content-security-policy": policy });
      response.end(isScript ? script : '<script type="module" src="/page.mjs"></script>');
    });
    await new Promise((done) => server.listen(0, "127.0.0.1", done));
    const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
    try {
      const page = await browser.newPage();
      await page.goto(`http://127.0.0.1:${server.address().port}/`);
      await page.waitForFunction("document.title !== ''");
      return await page.title();
    } finally {
      await browser.close();
      server.close();
    }
  },
};

// The package as it is installed.
const installed = join(folder, "node_modules/toolglot");
mkdirSync(installed, { recursive: true });
for (const part of ["package.json", "dist"]) cpSync(join(here, part), join(installed, part), { recursive: true });
writeFileSync(join(folder, "program.mjs"), program);
writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
try {
  for (const name of process.argv.length > 2 ? process.argv.slice(2) : Object.keys(runtimes)) {
    assert.equal(await runtimes[name](), wanted, name);
    console.log(`${name}: reads, streams, repairs`);
  }
} finally {
  rmSync(folder, { recursive: true });
}
