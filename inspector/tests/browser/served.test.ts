/** The page as `toolglot inspect` serves it, with the text and the tools that it was given. */
import { spawn, type ChildProcess } from "node:child_process";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Browser } from "playwright-core";
import { launch, visit } from "./browser";

const program = process.env["TOOLGLOT_BIN"];
const examples = new URL("../../../examples/", import.meta.url).pathname;

let browser: Browser;
let child: ChildProcess;

beforeAll(async () => {
  if (program) browser = await launch();
});
afterAll(async () => {
  child?.kill();
  await browser?.close();
});

test.skipIf(!program)("the program serves its page, and the page reads what the program was given", async () => {
  child = spawn(program!, ["inspect", `${examples}mixed.txt`, "--tools", `${examples}tools.json`]);
  const url = await new Promise<string>((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (code) => reject(new Error(`it ended with ${code}`)));
    child.stdout!.once("data", (line: Buffer) => resolve(line.toString().trim()));
  });
  const { page, faults } = await visit(browser, url);
  const result = page.getByRole("region", { name: "What the client sees" });
  await result.getByText("read_file").first().waitFor();
  await result.getByText("parse_port").first().waitFor();
  expect(faults).toEqual([]);
  const policy = (await page.request.get(url)).headers()["content-security-policy"];
  expect(policy).toContain("default-src 'none'");
  expect((await page.request.get(url, { headers: { host: "example.org" } })).status()).toBe(403);
});
