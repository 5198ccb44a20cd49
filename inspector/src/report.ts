/** A session as others take it: a test case of the core, a bug report. */
import type { Step } from "toolglot/bare";
import type { Reading } from "./engine/inspection";
import { chosen, toolsOf, type Session } from "./session";

/** Returns a case file; its expectation is written by `UPDATE_EXPECT=1 cargo test`. */
export function testCase(session: Session, about: string): string {
  const { tools } = toolsOf(session.tools);
  const options = [`dialects = ${session.dialects.join(", ") || "auto"}`, ...chosen(session.choices)];
  if (tools.length === 0) options.push("tools = none");
  const declared = tools.length > 0 ? `--- tools\n${JSON.stringify(tools, null, 2)}\n` : "";
  const own = session.files.map((file) => `The dialect ${file.name} is no built-in one.\n`).join("");
  return `${about}\n${own}${declared}--- options\n${options.join("\n")}\n${inputSection(session.text)}--- expect\n`;
}

/** A text that would read as a section, or that editors change, is escaped. */
function inputSection(text: string): string {
  const plain = !/^--- /m.test(text) && !/[\u0000-\u0009\u000b-\u001f\u007f]| $/m.test(text);
  if (plain) return `--- input\n${text}\n`;
  const escaped = text.replace(/ (?=\n|$)|[\\\u0000-\u001f\u007f]/g, (letter) => {
    if (letter === "\\") return "\\\\";
    if (letter === "\n") return "\\n\n";
    if (letter === "\r") return "\\r";
    if (letter === "\t") return "\\t";
    return `\\x${letter.charCodeAt(0).toString(16).padStart(2, "0")}`;
  });
  return `--- input escaped\n${escaped.replace(/^--- /gm, "\\x2d-- ")}\n`;
}

/** Returns Markdown with what a bug report needs. */
export function bugReport(session: Session, reading: Reading, steps: readonly Step[], version: string): string {
  const { message, why } = reading;
  const calls = message.calls.map((call) => `call ${call.name} ${call.arguments}`);
  const lost = message.incomplete.map((call) => `incomplete call ${call.name} (${call.outcome}) ${call.arguments}`);
  const said = [
    ...why.map((it) => `why not: ${it.reason}: ${it.message}`),
    `finish reason: ${message.finishReason}`,
    ...calls,
    ...lost,
    ...message.diagnostics.map((it) => `! ${it.start}..${it.end} ${it.code} ${it.message}`),
    ...steps.slice(-60).map((it) => `${it.start}..${it.end} ${it.action} ${it.dialect ?? ""} ${JSON.stringify(it.detail)}`),
  ];
  const options = [`dialects = ${session.dialects.join(", ") || "auto"}`, ...chosen(session.choices)];
  const parts: [string, string, string][] = [
    ["The model's text", "text", session.text],
    ["The declared tools", "json", session.tools.trim() || "[]"],
    ["Options", "text", options.join("\n")],
    ...session.files.map((file): [string, string, string] => [`Dialect \`${file.name}\``, "toml", file.toml]),
    ["What toolglot says", "text", said.join("\n")],
  ];
  const sections = parts.map(([title, kind, text]) => `### ${title}\n\n${fenced(text, kind)}\n`);
  return `${sections.join("\n")}\n### What you expected\n\n\n\n### Model, server, and version of toolglot\n\ntoolglot ${version}\n`;
}

/** A fence longer than any in the text. */
function fenced(text: string, kind: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${kind}\n${text}\n${fence}`;
}
