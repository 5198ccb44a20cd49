// The lines of JavaScript in the READMEs run, and print what their comments say.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { fileURLToPath } from "node:url";
import { test } from "node:test";

const here = fileURLToPath(new URL("..", import.meta.url));
const pages = ["README.md", "bindings/js/README.md"];

/** Blocks that need a program's own module or another package are written for those who have it. */
const isRunnable = (block) =>
  [...block.matchAll(/from "([^"]+)"/g)].every(([, name]) => name === "toolglot" || builtinModules.includes(name));

for (const page of pages) {
  const text = readFileSync(new URL(`../../../${page}`, import.meta.url), "utf8");
  const blocks = [...text.matchAll(/^```js\n(.*?)^```/gms)].map(([, block]) => block);
  test(`${page} has blocks that run`, () => assert.ok(blocks.some(isRunnable)));
  blocks.forEach((block, number) =>
    test(`${page}, block ${number + 1}`, { skip: !isRunnable(block) }, () => {
      const ran = spawnSync(process.execPath, ["--input-type=module", "--eval", block], { cwd: here, encoding: "utf8" });
      assert.equal(ran.status, 0, ran.stderr);
      const said = [...block.matchAll(/console\.log\(.*\/\/ ([^\[{].*|\{".*)$/gm)].map(([, said]) => said.split(", or ")[0]);
      for (const line of said) assert.ok(ran.stdout.includes(line), `${line} is not in\n${ran.stdout}`);
    }),
  );
}
