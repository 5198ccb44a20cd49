/** How the page is built: names without digests, since the binary embeds them; paths that hold under any folder. */
import { readdirSync, readFileSync } from "node:fs";
import { defineConfig } from "vitest/config";
import type { Plugin } from "vite";

const DIALECTS = new URL("../crates/toolglot/dialects/", import.meta.url);

/** The built-in dialects' files, as the page's lab opens them: `virtual:dialects`. */
function dialectFiles(): Plugin {
  return {
    name: "dialect-files",
    resolveId: (id) => (id === "virtual:dialects" ? `\0${id}` : undefined),
    load(id) {
      if (id !== "\0virtual:dialects") return undefined;
      const names = readdirSync(DIALECTS).filter((name) => name.endsWith(".toml"));
      const read = (name: string) => [name.slice(0, -5), readFileSync(new URL(name, DIALECTS), "utf8")];
      return `export default ${JSON.stringify(Object.fromEntries(names.sort().map(read)))}`;
    },
  };
}

const named = { entryFileNames: "assets/[name].js", chunkFileNames: "assets/dialects.js", assetFileNames: "assets/[name][extname]" };

const { version } = JSON.parse(readFileSync(new URL("package.json", import.meta.url), "utf8")) as { version: string };

export default defineConfig({
  define: { __VERSION__: JSON.stringify(version) },
  base: "./",
  plugins: [dialectFiles()],
  resolve: { alias: { "toolglot/bare": new URL("../bindings/js/src/bare.ts", import.meta.url).pathname } },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: { target: "es2022", modulePreload: { polyfill: false }, assetsInlineLimit: 0, rolldownOptions: { output: named } },
  worker: { format: "es", rolldownOptions: { output: named } },
  test: { include: ["tests/**/*.test.ts"], testTimeout: 600_000, hookTimeout: 600_000, fileParallelism: false },
});
