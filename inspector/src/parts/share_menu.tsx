/** Ways to hand a text on: a link, a test case, a bug report. */
import { useRef } from "preact/hooks";
import { ask } from "../engine/client";
import { bugReport, testCase } from "../report";
import { toFragment } from "../share";
import { reading, say, server, session } from "../store";

export function ShareMenu() {
  const menu = useRef<HTMLDetailsElement>(null);
  const copy = (what: string, make: () => Promise<string> | string) => async () => {
    if (menu.current) menu.current.open = false;
    const text = await make();
    try {
      await navigator.clipboard.writeText(text);
      say(`${what} is in the clipboard.`);
    } catch {
      say(`The browser does not let the page copy. ${what} is not in the clipboard.`);
    }
  };
  const leave = (event: FocusEvent) => {
    const inside = event.relatedTarget instanceof Node && menu.current?.contains(event.relatedTarget);
    if (menu.current && event.relatedTarget && !inside) menu.current.open = false;
  };
  const off = session.value.text === "";
  return (
    <details class="menu" ref={menu} onFocusOut={leave}>
      <summary class="button">Share</summary>
      <div class="menu-body">
        <button type="button" disabled={off} onClick={copy("The link", link)}>
          <strong>Copy link</strong>
          <span>All of it in the fragment, which no server sees</span>
        </button>
        <button type="button" disabled={off} onClick={copy("The test case", () => testCase(session.value, "What this case is about."))}>
          <strong>Copy as test case</strong>
          <span>A file for crates/toolglot/tests/cases</span>
        </button>
        <button type="button" disabled={off} onClick={copy("The bug report", report)}>
          <strong>Copy as bug report</strong>
          <span>The text, the tools, and what toolglot says</span>
        </button>
      </div>
    </details>
  );
}

async function link(): Promise<string> {
  const url = new URL(location.href);
  url.hash = await toFragment(session.value);
  history.replaceState(null, "", url);
  return url.href;
}

async function report(): Promise<string> {
  const steps = await ask("steps", "page");
  return reading.value ? bugReport(session.value, reading.value, steps, server.value.version || __VERSION__) : "";
}

declare const __VERSION__: string;
