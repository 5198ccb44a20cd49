/** The system's Chromium, and what every test watches for: errors, broken policies, requests to others. */
import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";

const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

export function launch(): Promise<Browser> {
  return chromium.launch({ executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium", headless: true, args: FLAGS });
}

export interface Visit {
  page: Page;
  /** What went wrong so far; empty if nothing did. */
  faults: string[];
}

export async function visit(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const page = await context.newPage();
  // Machines that are shared may be slow; nothing here is a measurement.
  page.setDefaultTimeout(90_000);
  const faults: string[] = [];
  // A plain server has the packed module only; the page asks for the other one first.
  const expected = (text: string) => text.includes("404") && text.includes("toolglot.wasm");
  page.on("console", (it) => {
    const text = `${it.text()} ${it.location().url}`;
    if (it.type() === "error" && !expected(text)) faults.push(text);
  });
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("request", (request) => {
    if (!request.url().startsWith(new URL(url).origin) && !/^(data|blob):/.test(request.url())) faults.push(`asked ${request.url()}`);
  });
  await page.goto(url);
  return { page, faults };
}
