/** Nothing that axe finds, in each state, in both colour schemes and at three widths; pictures are kept. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Server } from "node:http";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Browser, Page } from "playwright-core";
import { serve } from "../serve";
import { launch, visit } from "./browser";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const PICTURES = fileURLToPath(new URL("../../pictures", import.meta.url));
const CAPTURE = [{ name: "a.json", time: 1, model: "Qwen3", miss: ["in_code", "the call stands in a fence"], repairs: ["fence"] }];

let browser: Browser;
let server: Server;
let url: string;

beforeAll(async () => {
  ({ server, url } = await serve({
    "session.json": () => ({ body: '{"captures": true}' }),
    captures: () => ({ body: JSON.stringify(CAPTURE) }),
  }));
  browser = await launch();
});
afterAll(async () => {
  await browser.close();
  server.close();
});

/** Checks and takes a picture. */
async function look(page: Page, name: string): Promise<void> {
  await page.evaluate(AXE);
  const found = await page.evaluate(async () => {
    const axe = (window as unknown as { axe: { run(options: object): Promise<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }> } }).axe;
    const { violations } = await axe.run({ resultTypes: ["violations"] });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((it) => `${it.html.slice(0, 160)} ${it.failureSummary.slice(0, 300)}`).join("\n")}`);
  });
  await page.screenshot({ path: `${PICTURES}/${name}.png` });
  expect(found, name).toEqual([]);
  // Cards clip what they cannot show, so the page's own width tells nothing of them.
  const wide = await page.evaluate(() =>
    [...document.querySelectorAll("main button, main select, dialog[open] button, dialog[open] input")]
      .filter((it) => !it.closest(".result-body") && it.getBoundingClientRect().right > document.documentElement.clientWidth)
      .map((it) => it.outerHTML.slice(0, 160)));
  expect(wide, name).toEqual([]);
}

async function example(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name: "Examples", exact: true }).click();
  await page.locator(".tiles button").filter({ has: page.locator("strong", { hasText: new RegExp(`^${name}$`) }) }).first().click();
}

test.each([
  ["wide-light", 1440, 900, "light"],
  ["wide-dark", 1440, 900, "dark"],
  ["tablet-light", 820, 1100, "light"],
  ["tablet-dark", 820, 1100, "dark"],
  ["phone-light", 390, 844, "light"],
  ["phone-dark", 390, 844, "dark"],
] as const)("%s", async (name, width, height, colorScheme) => {
  const { page, faults } = await visit(browser, url, { viewport: { width, height }, colorScheme });
  expect(await page.title()).not.toBe("");
  const about = await page.locator('meta[name="description"]').getAttribute("content");
  expect(about?.length).toBeGreaterThan(50);
  await page.getByText(/To see how/).waitFor();
  await look(page, `${name}-empty`);
  await page.getByRole("button", { name: "Examples", exact: true }).click();
  await page.locator("dialog[open] .tiles li:nth-child(20)").first().waitFor();
  await look(page, `${name}-gallery`);
  await page.keyboard.press("Escape");
  await example(page, "A turn of an agent");
  await page.getByText(/2 calls: read_file, search/).waitFor();
  await page.locator(".cm-line .k-value").first().hover();
  await page.locator(".story-head").waitFor();
  await look(page, `${name}-story`);
  await page.getByRole("slider", { name: "Pieces that have arrived" }).fill("60");
  await page.getByText(/characters in/).waitFor();
  await look(page, `${name}-time`);
  await example(page, "Another dialect than expected");
  await page.getByText(/^No call/).waitFor();
  await look(page, `${name}-why`);
  for (const setting of ["Dialects", "Tools", "Options"]) {
    await page.getByRole("button", { name: new RegExp(`^${setting}`) }).click();
    await look(page, `${name}-${setting.toLowerCase()}`);
    await page.keyboard.press("Escape");
  }
  await page.getByRole("button", { name: "Dialect lab" }).click();
  await page.getByText("read_note came back as it was").waitFor();
  await look(page, `${name}-lab`);
  await page.getByRole("button", { name: "From an example…" }).click();
  await page.getByRole("dialog", { name: "Make a dialect from an example" }).getByRole("button", { name: "Another call" }).click();
  await look(page, `${name}-from-example`);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Captures" }).click();
  await page.getByText("Qwen3", { exact: true }).waitFor();
  await look(page, `${name}-captures`);
  expect(faults).toEqual([]);
  await page.context().close();
});
