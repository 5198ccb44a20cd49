// Coding agents before a server that knows no tools, with toolglot where each of them takes a provider: each has to run a
// command and finish.
//
//   bindings/test agents                        installs them and runs all
//   node run.mjs [AGENT...] [--direct]          --direct: without toolglot, to see what happens then; SHOW=2000: what they said
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import { scripted } from "./server.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const modules = join(process.env.TOOLGLOT_AGENTS ?? here, "node_modules");
const provider = pathToFileURL(join(here, "../dist/provider.js")).href;
const words = process.argv.slice(2);
const direct = words.includes("--direct");
const TASK = "Find out what the weather is.";
const ANSWER = "It is sunny today.";

/** Each returns the program, its arguments and its environment. */
const agents = {
  opencode({ url, folder }) {
    const models = { scripted: { name: "scripted", tool_call: true, limit: { context: 64000, output: 4000 } } };
    const npm = direct ? "@ai-sdk/openai-compatible" : provider;
    const config = {
      provider: { local: { npm, name: "Local", options: { baseURL: url, apiKey: "none" }, models } },
      model: "local/scripted",
      small_model: "local/scripted",
      permission: { "*": "allow", bash: "allow" },
      autoupdate: false,
      share: "disabled",
    };
    writeFileSync(join(folder, "opencode.json"), JSON.stringify(config));
    const settings = { OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_LSP_DOWNLOAD: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" };
    return [process.env.OPENCODE ?? join(modules, ".bin/opencode"), ["run", "--model", "local/scripted", "--print-logs", TASK], settings];
  },
  pi({ url }) {
    const extension = join(here, "pi.mjs");
    const args = ["--extension", extension, "--provider", "local", "--model", "scripted", "--no-session", "-p", TASK];
    return [join(modules, "node/bin/node"), [join(modules, "@earendil-works/pi-coding-agent/dist/bundle/cli.js"), ...args], { SCRIPTED_URL: url, DIRECT: direct ? "1" : "" }];
  },
  cline({ url }) {
    return [join(modules, "node/bin/node"), [join(here, "cline.mjs"), TASK], { SCRIPTED_URL: url, DIRECT: direct ? "1" : "" }];
  },
};

/** Runs a program; returns what it said. */
function ran([program, args, settings], { home, folder }) {
  const env = { PATH: `${join(modules, "node/bin")}:${process.env.PATH}`, HOME: home, XDG_CONFIG_HOME: home, XDG_DATA_HOME: home, XDG_STATE_HOME: home, XDG_CACHE_HOME: home, TERM: "dumb", ...settings };
  return new Promise((done) => {
    const child = spawn(program, args, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
    let said = "";
    for (const pipe of [child.stdout, child.stderr]) pipe.on("data", (data) => (said += data));
    const late = setTimeout(() => child.kill("SIGKILL"), Number(process.env.PATIENCE ?? 180) * 1000);
    child.on("error", (error) => (said += error));
    child.on("close", () => (clearTimeout(late), done(said)));
  });
}

let failed = 0;
const chosen = words.filter((word) => word in agents);
for (const name of chosen.length ? chosen : Object.keys(agents)) {
  for (const dialect of ["hermes", "qwen3_coder", "glm45"]) {
    const home = mkdtempSync(join(tmpdir(), "agent-"));
    const folder = join(home, "work");
    mkdirSync(folder);
    const witness = join(home, "witness");
    const server = await scripted({ dialect, command: `echo sunny | tee ${witness}`, answer: ANSWER });
    const began = Date.now();
    const said = await ran(agents[name]({ url: server.url, home, folder }), { home, folder });
    server.close();
    const wrong = !existsSync(witness) ? "its command did not run" : !server.seen.results.join().includes("sunny") ? "the result did not come back" : said.includes(ANSWER) ? "" : "it did not finish";
    if (wrong) failed++;
    console.log(`${name}, ${dialect}: ${wrong || "ran its command and finished"}, ${((Date.now() - began) / 1000).toFixed(1)} s`);
    if (wrong && process.env.SHOW) console.log(said.slice(-Number(process.env.SHOW)));
    rmSync(home, { recursive: true, force: true });
  }
}
process.exitCode = failed && !direct ? 1 : 0;
