/** First paint, ready, 1 MB coloured, and long tasks while it scrolls: medians of five, printed. Only when asked for. */
import { afterAll, beforeAll, test } from "vitest";
import type { Server } from "node:http";
import type { Browser } from "playwright-core";
import { serve } from "../serve";
import { launch, visit } from "./browser";

const ROUNDS = 5;
const CALL = '<tool_call>\n{"name": "ls", "arguments": {"path": "src", "depth": 2,}}\n</tool_call>';
const LINE = `${"All work and no play makes a dull day. ".repeat(13)}\n`;
const TEXTS = { "calls and prose": `${LINE}${CALL}\n`.repeat(1 << 12).slice(0, 1 << 20), "one long call": CALL.replace("src", "x ".repeat(1 << 19)) };

let browser: Browser;
let server: Server;
let url: string;

beforeAll(async () => {
  ({ server, url } = await serve());
  browser = await launch();
});
afterAll(async () => {
  await browser.close();
  server.close();
});

const median = (values: number[]) => Math.round(values.sort((a, b) => a - b)[values.length >> 1] ?? 0);
const asked = process.env["MEASURE"] !== undefined;

test.runIf(asked)("first paint and ready", { timeout: 600_000 }, async () => {
  const times: { paint: number; ready: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const { page } = await visit(browser, url);
    await page.waitForFunction(() => performance.getEntriesByName("ready").length > 0);
    times.push(await page.evaluate(() => {
      const at = (name: string) => performance.getEntriesByName(name)[0]?.startTime ?? 0;
      return { paint: at("first-contentful-paint"), ready: at("ready") };
    }));
    await page.context().close();
  }
  console.log(`first paint ${median(times.map((it) => it.paint))} ms, ready ${median(times.map((it) => it.ready))} ms`);
});

test.runIf(asked).each(Object.entries(TEXTS))("1 MB: %s", { timeout: 600_000 }, async (name, text) => {
  const times: { engine: number; coloured: number; longest: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const { page } = await visit(browser, url);
    await page.waitForFunction(() => performance.getEntriesByName("warm").length > 0);
    await page.evaluate((it) => navigator.clipboard.writeText(it), text);
    await page.evaluate(() => performance.clearMarks());
    await page.getByRole("textbox", { name: "What the model wrote" }).focus();
    await page.keyboard.press("Control+v");
    await page.keyboard.press("Control+Home");
    await page.locator(".cm-line .k-marker, .cm-line .k-value").first().waitFor();
    times.push(await page.evaluate(async () => {
      const read = performance.getEntriesByName("read").at(-1) as PerformanceMark;
      const asked = performance.getEntriesByName("asked").find((it) => it.startTime < read.startTime);
      let longest = 0;
      new PerformanceObserver((list) => list.getEntries().forEach((it) => (longest = Math.max(longest, it.duration)))).observe({ type: "longtask" });
      const scroller = document.querySelector(".source .editor")?.shadowRoot?.querySelector(".cm-scroller") as HTMLElement;
      for (let at = 0; at < 120; at++) {
        scroller.scrollTop += 400;
        await new Promise((next) => requestAnimationFrame(next));
      }
      return { engine: Number(read.detail), coloured: read.startTime - (asked?.startTime ?? 0), longest };
    }));
    await page.context().close();
  }
  const of = (key: "engine" | "coloured" | "longest") => median(times.map((it) => it[key]));
  console.log(`${name}: coloured ${of("coloured")} ms after the paste (engine ${of("engine")} ms), longest task while scrolling ${of("longest")} ms`);
});
