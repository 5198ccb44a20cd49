/** The page as people use it, in Chromium, from a plain server under a strict policy. */
import type { Server } from "node:http";
import { mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { Browser, Page } from "playwright-core";
import { EXAMPLES } from "../../src/examples";
import { serve } from "../serve";
import { launch, visit, type Visit } from "./browser";

let browser: Browser;
let server: Server;
let url: string;
let now: Visit;

beforeAll(async () => {
  ({ server, url } = await serve());
  browser = await launch();
});
afterEach(async () => {
  expect(now.faults).toEqual([]);
  await now.page.context().close();
});
afterAll(async () => {
  await browser.close();
  server.close();
});

const HERMES = '<tool_call>\n{"name": "ls", "arguments": {"path": "src", "depth": 2,}}\n</tool_call>';
const editor = (page: Page) => page.getByRole("textbox", { name: "What the model wrote" });
const verdict = (page: Page) => page.getByRole("region", { name: "Verdict" });
const result = (page: Page) => page.getByRole("region", { name: "What the client sees" });
const story = (page: Page) => page.getByRole("region", { name: "The story of a span" });

async function open(options = {}): Promise<Page> {
  now = await visit(browser, url, options);
  await editor(now.page).waitFor();
  return now.page;
}

/** Puts a text into the editor as a paste does. */
async function paste(page: Page, text: string): Promise<void> {
  await page.evaluate((it) => navigator.clipboard.writeText(it), text);
  await editor(page).focus();
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Control+v");
}

async function example(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name: "Examples", exact: true }).click();
  await page.getByRole("searchbox", { name: "Find an example" }).fill(name);
  const dialog = page.getByRole("dialog", { name: "Examples" });
  await dialog.locator(".tiles button").filter({ has: page.locator("strong", { hasText: new RegExp(`^${name}$`) }) }).click();
}

async function said(page: Page, words: string | RegExp): Promise<void> {
  await verdict(page).getByText(words).first().waitFor();
}

test("a pasted text tells its calls, and every byte is coloured", async () => {
  const page = await open();
  await paste(page, `Hi.\n${HERMES}`);
  await said(page, /1 call: ls\. Read as hermes, 1 repair\./);
  await result(page).locator("dd", { hasText: "src" }).waitFor();
  for (const [kind, text] of [["name", "ls"], ["key", "path"], ["value", "src"], ["repaired", ","]]) {
    await page.locator(`.cm-line .k-${kind}`, { hasText: text as string }).first().waitFor();
  }
  const coloured = await page.locator(".cm-line .k").allTextContents();
  expect(`Hi.${coloured.join("")}`).toBe(`Hi.${HERMES.replaceAll("\n", "")}`);
});

test("a span tells its story to the mouse and to the caret, and lights up its part of the result", async () => {
  const page = await open();
  await paste(page, HERMES);
  await said(page, /1 call/);
  await page.locator(".cm-line .k-value", { hasText: "src" }).hover();
  await story(page).getByText("The value of an argument").waitFor();
  await page.locator(".row[data-lit]", { hasText: "path" }).waitFor();
  await page.locator(".cm-line .k-repaired").hover();
  await story(page).getByText("trailing_comma").waitFor();
  await story(page).locator("del", { hasText: "," }).waitFor();
  await editor(page).focus();
  await page.keyboard.press("Control+Home");
  await page.keyboard.press("ArrowRight");
  await story(page).getByText(/Marker/).waitFor();
  await story(page).getByText(/Read as/).waitFor();
});

test("a part of the result lights up its bytes", async () => {
  const page = await open();
  await paste(page, HERMES);
  await said(page, /1 call/);
  await page.locator(".row", { hasText: "depth" }).hover();
  await page.locator(".cm-line .lit", { hasText: "2" }).waitFor();
  const lit = await page.locator(".cm-line .lit").allTextContents();
  expect(lit.join("")).toMatch(/depth/);
  expect(lit.join("")).not.toMatch(/path/);
});

test("every example opens; most make calls", async () => {
  const page = await open();
  let calls = 0;
  for (const { name, text } of EXAMPLES) {
    await example(page, name);
    await page.waitForFunction((it) => document.querySelector(".editor")?.shadowRoot?.textContent?.includes(it), text.split("\n")[0] ?? "");
    await page.waitForTimeout(150);
    if (await page.locator(".part.call").count()) calls += 1;
  }
  expect(calls).toBeGreaterThanOrEqual(15);
});

test("every dialect writes its example, and it is read", async () => {
  const page = await open();
  await page.getByRole("button", { name: "Examples", exact: true }).click();
  const tiles = page.getByRole("dialog", { name: "Examples" }).locator("h3:has-text('Each dialect') + ul > li > button");
  await tiles.first().waitFor();
  const names = await tiles.locator("strong").allTextContents();
  expect(names.length).toBeGreaterThan(80);
  await page.keyboard.press("Escape");
  for (const name of names) {
    await page.evaluate((it) => {
      const buttons = [...document.querySelectorAll<HTMLButtonElement>(".tiles button")];
      buttons.find((button) => button.querySelector("strong")?.textContent === it)?.click();
    }, name);
    await said(page, `Read as ${name}`);
    await page.locator(".part.call").first().waitFor();
  }
});

test("a reason comes with a button that changes the option", async () => {
  const page = await open();
  await example(page, "Another dialect than expected");
  await said(page, /^No call/);
  await verdict(page).getByRole("button", { name: /Add the dialect hermes/ }).click();
  await said(page, /1 call: get_weather/);
  await page.getByRole("button", { name: /Dialects kimi_k2, hermes/ }).waitFor();
});

test("a call that needs declared tools offers to declare one", async () => {
  const page = await open();
  await example(page, "No tools are declared");
  await verdict(page).getByRole("button", { name: /Declare get_weather/ }).click();
  await said(page, /1 call: get_weather/);
});

test("time: what had gone out, what was held, and that pieces change nothing", async () => {
  const page = await open();
  await example(page, "A turn of an agent");
  await said(page, /2 calls/);
  await page.getByText(/Same message in pieces of 4 as whole/).waitFor();
  const slider = page.getByRole("slider", { name: "Pieces that have arrived" });
  await slider.fill("0");
  await page.getByText(/^0 characters in, 0 out/).waitFor();
  await expect.poll(() => page.locator(".part").count()).toBe(0);
  await page.getByRole("combobox", { name: "Characters of a piece" }).selectOption("1");
  await slider.fill("125");
  await page.getByText(/125 characters in/).waitFor();
  await page.locator(".t-held").first().waitFor();
  await page.locator(".t-later").first().waitFor();
  await slider.focus();
  await page.keyboard.press("End");
  await said(page, /2 calls/);
  await expect.poll(() => page.locator(".t-later").count()).toBe(0);
  await page.getByText(/Same message in pieces of 1 as whole/).waitFor();
  await page.getByRole("button", { name: "Play the stream" }).click();
  await page.getByText(/characters in/).waitFor();
  await page.getByRole("button", { name: "Pause" }).click();
});

test("dialects, tools and options are chosen in dialogs", async () => {
  const page = await open();
  await paste(page, HERMES);
  await page.getByRole("button", { name: /^Dialects/ }).click();
  await page.getByRole("searchbox", { name: "Find a dialect" }).fill("kimi_k2");
  await page.getByRole("checkbox", { name: /kimi_k2/ }).first().check();
  await page.keyboard.press("Escape");
  await said(page, /^No call/);
  await page.getByRole("button", { name: /^Dialects kimi_k2/ }).click();
  await page.getByRole("button", { name: "All (auto)" }).click();
  await page.keyboard.press("Escape");
  await said(page, /1 call/);
  await page.getByRole("button", { name: /^Options/ }).click();
  await page.getByRole("combobox", { name: "Repairs" }).selectOption("none");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: /Options repairs = none/ }).waitFor();
  await expect.poll(() => page.locator(".part.call").count()).toBe(0);
  await page.getByRole("button", { name: /^Tools/ }).click();
  await page.getByRole("textbox", { name: "Declared tools as JSON" }).fill("[{");
  await page.keyboard.press("Escape");
  await said(page, /The tools are not valid JSON/);
});

test("the client's body in each protocol", async () => {
  const page = await open();
  await paste(page, HERMES);
  await said(page, /1 call/);
  for (const [form, sign] of [["Chat", '"tool_calls"'], ["Responses", '"function_call"'], ["Messages", '"tool_use"']] as const) {
    await result(page).getByRole("button", { name: form, exact: true }).click();
    await result(page).getByText(sign).first().waitFor();
  }
});

test("a link brings the text back, without a server", async () => {
  const page = await open();
  await example(page, "Another dialect than expected");
  await page.getByText("Share", { exact: true }).click();
  await page.getByRole("button", { name: /Copy link/ }).click();
  await page.getByText("The link is in the clipboard.").waitFor();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  expect(new URL(link).hash).toMatch(/^#s=/);
  await page.context().close();
  now = await visit(browser, link);
  await now.page.getByRole("button", { name: /Dialects kimi_k2/ }).waitFor();
  await said(now.page, /^No call/);
});

test("a test case and a bug report are copied", async () => {
  const page = await open();
  await example(page, "Cut off by the token limit");
  await said(page, /did not finish/);
  for (const [button, signs] of [
    ["Copy as test case", ["--- tools\n", "--- options\ndialects = auto\nfinish_reason = length\n", "--- input\n<tool_call>", "--- expect\n"]],
    ["Copy as bug report", ["### The model's text", "rm -rf ./build", "finish_reason = length", "incomplete call run (truncated)", "toolglot 0."]],
  ] as const) {
    await page.getByText("Share", { exact: true }).click();
    await page.getByRole("button", { name: button }).click();
    await page.getByText(/is in the clipboard/).waitFor();
    const text = await page.evaluate(() => navigator.clipboard.readText());
    for (const sign of signs) expect(text).toContain(sign);
    await page.getByText(/is in the clipboard/).waitFor({ state: "hidden" }).catch(() => {});
  }
});

test("a saved stream is opened from a file, a saved answer is pasted", async () => {
  const page = await open();
  const folder = join(tmpdir(), `inspector-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "stream.txt");
  const halves = [HERMES.slice(0, 30), HERMES.slice(30)];
  writeFileSync(file, halves.map((content) => `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`).join(""));
  await page.getByLabel("Open a text, a saved answer or a saved stream").setInputFiles(file);
  await said(page, /1 call: ls/);
  await page.getByRole("button", { name: "Clear" }).click();
  await paste(page, JSON.stringify({ choices: [{ message: { content: HERMES, reasoning_content: "why" }, finish_reason: "stop" }] }));
  await said(page, /1 call: ls/);
  await result(page).getByText("why", { exact: true }).waitFor();
});

test("a server's session is opened: a saved answer, its tools, its dialects", async () => {
  const answer = JSON.stringify({ choices: [{ message: { content: HERMES } }] });
  const session = JSON.stringify({ text: answer, tools: '[{"name": "ls"}]', dialects: ["kimi_k2"], version: "1" });
  const other = await serve({ "session.json": () => ({ body: session }) });
  now = await visit(browser, other.url);
  await now.page.getByRole("button", { name: "Dialects kimi_k2" }).waitFor();
  await now.page.getByRole("button", { name: "Tools ls" }).waitFor();
  await verdict(now.page).getByRole("button", { name: "Add the dialect hermes" }).click();
  await said(now.page, /1 call: ls/);
  other.server.close();
});

test("captures of a proxy are found, opened and replayed", async () => {
  const list = [{ name: "a.json", model: "Qwen3", time: 1, miss: ["in_code", "in a fence"], repairs: [] }, { name: "b.json", model: "Kimi", repairs: ["fence"] }];
  const capture = { toolglot: "1", request: { tools: [{ name: "ls" }] }, answer: JSON.stringify({ choices: [{ message: { content: HERMES } }] }) };
  const other = await serve({
    "session.json": () => ({ body: '{"captures": true}' }),
    captures: () => ({ body: JSON.stringify(list) }),
    "captures/a.json": () => ({ body: JSON.stringify(capture) }),
    "captures/a.json/replay": (method) => (method === "POST" ? { body: JSON.stringify({ before: "one\ntwo", after: "one\nthree" }) } : undefined),
  });
  now = await visit(browser, other.url);
  await now.page.getByRole("button", { name: "Captures" }).click();
  await now.page.getByText("Kimi", { exact: true }).waitFor();
  await now.page.getByRole("checkbox", { name: "misses" }).check();
  await now.page.getByText("Kimi", { exact: true }).waitFor({ state: "hidden" });
  await now.page.getByRole("button", { name: "Replay" }).click();
  await now.page.locator(".diff [data-sign='+']", { hasText: "three" }).waitFor();
  await now.page.locator(".diff [data-sign='-']", { hasText: "two" }).waitFor();
  await now.page.getByRole("button", { name: "Open", exact: true }).click();
  await said(now.page, /1 call: ls/);
  await now.page.getByRole("button", { name: "Tools ls" }).waitFor();
  other.server.close();
});

test("text is never markup of the page", async () => {
  const page = await open();
  await paste(page, '<img src=x onerror="window.hit = 1"><script>window.hit = 1</script><tool_call>\n{"name": "ls", "arguments": {"<i>": "<img src=y onerror=alert(1)>"}}\n</tool_call>');
  await said(page, /1 call/);
  expect(await page.locator("main img, main b, main i, main script").count()).toBe(0);
  expect(await page.evaluate(() => "hit" in window)).toBe(false);
});

test("characters of several bytes keep their places, and other line breaks stay", async () => {
  const page = await open();
  const text = `日本語 🛠️\r\n${HERMES.replace("src", "札幌👋🏽")} Å`;
  await paste(page, text);
  await said(page, /1 call/);
  await page.locator(".cm-line .k-value", { hasText: "札幌👋🏽" }).waitFor();
  expect(await page.locator(".cm-line .k-name", { hasText: "ls" }).first().textContent()).toBe("ls");
  await result(page).getByText("札幌👋🏽").waitFor();
});

test("the lab shows mistakes in place, and what a dialect writes and reads", async () => {
  const page = await open();
  await page.getByRole("button", { name: "Dialect lab" }).click();
  const file = page.getByRole("textbox", { name: "Dialect file in TOML" });
  await page.getByText("get_weather came back as it was").waitFor();
  await page.getByText("read_note came back as it was").waitFor();
  await file.fill('about = "Mine"\ncall = "<run>{nmae}</run>"\n');
  await page.getByText(/Line 2, column 14: unknown hole/).waitFor();
  await page.locator(".cm-lintRange-error", { hasText: "{nmae}" }).waitFor();
  await page.getByRole("combobox", { name: "Begin with a built-in dialect" }).selectOption("qwen3_coder");
  await page.getByText("The file is right.").waitFor();
  await page.locator(".written .cm-line", { hasText: "<function=get_weather>" }).waitFor();
  await page.getByRole("button", { name: "Open in the inspector" }).click();
  await said(page, /2 calls: get_weather, read_note\. Read as my_qwen3_coder/);
});

test("the lab opens before the engine is there, and shows what it says once it is", async () => {
  const page = await open();
  await page.route("**/toolglot.wasm*", async (route) => {
    await new Promise((done) => setTimeout(done, 2_000));
    await route.continue();
  });
  await page.reload();
  await page.getByRole("button", { name: "Dialect lab" }).click();
  await page.getByText("get_weather came back as it was").waitFor({ timeout: 30_000 });
});

test("a dialect is made from an example, and what it cannot carry is said", async () => {
  const page = await open();
  await paste(page, '<tool_call>{"name": "ls", "arguments": {"path" ~ "src"}}</tool_call>');
  await verdict(page).getByText(/its JSON is invalid at byte 47/).waitFor();
  await page.locator(".cm-line .t-missed", { hasText: '<tool_call>{"name": "ls", "arguments": {"path"' }).waitFor();
  await paste(page, '<my_tool_call>{"name": "ls"</my_tool_call>');
  await verdict(page).getByRole("button", { name: "Make a dialect from it" }).click();
  const form = page.getByRole("dialog", { name: "Make a dialect from an example" });
  const example = '<run_call>get_weather ( {"city": "Paris"} )</run_call>';
  await form.getByLabel(/^What the model wrote/).fill(example);
  await form.getByLabel("Tool").fill("get_rain");
  await form.getByRole("button", { name: "Make the dialect" }).click();
  await form.getByText(/does not contain this name/).waitFor();
  await form.getByLabel("Tool").fill("get_weather");
  await form.getByLabel("Arguments as JSON").fill('{"city": "Paris"}');
  await form.getByRole("button", { name: "Make the dialect" }).click();
  await page.locator(".cm-line", { hasText: "<run_call>{name} ( {arguments} )</run_call>" }).waitFor();
  await page.getByText(/Every kind of value comes back/).waitFor();
  await page.getByRole("button", { name: "Inspect", exact: true }).click();
  await paste(page, example);
  await page.getByRole("button", { name: "Dialect lab" }).click();
  await page.getByRole("button", { name: "Read the inspector's text with it" }).click();
  await said(page, /1 call: get_weather\. Read as mine/);
});

test("a reason's button makes the missed call a call: an option, a file, a tool and then an option", async () => {
  const page = await open();
  const json = '{"name": "ls", "arguments": {"path": "src"}}';
  const press = (name: string) => verdict(page).getByRole("button", { name, exact: true }).click();
  await paste(page, `So:\n\n\`\`\`json\n${json}\n\`\`\`\nDone.`);
  await press("Declare ls");
  await press("Set evidence to eager");
  await said(page, /1 call: ls/);
  await page.getByRole("button", { name: "Clear" }).click();
  await paste(page, `<my-call>${json}</my-call>`);
  await press("Add a dialect that reads it");
  await said(page, /1 call: ls\. Read as mine/);
});

test("1 MB of text is coloured, and only what is in view is in the page", async () => {
  const page = await open();
  const text = `${"All work and no play makes a dull day. ".repeat(13)}\n${HERMES}\n`.repeat(1700);
  await paste(page, text.slice(0, 1 << 20));
  await said(page, /\d+ calls: ls/);
  await page.keyboard.press("Control+Home");
  await page.locator(".cm-line .k-name").first().waitFor();
  expect(await page.locator(".cm-line").count()).toBeLessThan(200);
});
