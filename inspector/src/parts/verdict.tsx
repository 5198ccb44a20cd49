/** The first line: what the client gets, and if it is no call, why not and what would change it. */
import type { Fix, Reading, Why } from "../engine/inspection";
import { apply, failure, reading, reveal, session } from "../store";
import { toolsOf } from "../session";

export function Verdict() {
  const made = reading.value;
  const { text, tools } = session.value;
  const wrong = failure.value ?? (toolsOf(tools).why ? "The tools are not valid JSON; they are left out." : null);
  const [mood, words] = wrong ? ["bad", wrong] : text === "" || !made ? ["calm", EMPTY] : summary(made);
  return (
    <section class="verdict" data-mood={mood} aria-label="Verdict">
      <p role="status">
        <span class="lamp" aria-hidden="true" />
        {words}
      </p>
      {!wrong && text !== "" && made && made.why.length > 0 && (
        <ul class="whys">
          {made.why.map((why) => (
            <Reason why={why} />
          ))}
        </ul>
      )}
    </section>
  );
}

const EMPTY = "Paste what a model wrote. Every byte shows what it became. Nothing leaves this page.";

function Reason({ why }: { why: Why }) {
  return (
    <li>
      <button type="button" class="link" onClick={() => (reveal.value = { at: why.start })}>
        {sentence(why.message)}
      </button>
      {why.fix && (
        <button type="button" class="fix" onClick={() => apply(why.fix as Fix)}>
          {proposal(why.fix)}
        </button>
      )}
    </li>
  );
}

function proposal({ kind, value }: Fix): string {
  const names = [value].flat().map((it) => (typeof it === "object" && it !== null ? toolsOf(JSON.stringify([it])).tools : it));
  const tools = [value].flat().map((it) => (typeof it === "string" ? it : ((it as { name?: string; function?: { name: string } })?.name ?? (it as { function?: { name: string } })?.function?.name ?? "it")));
  if (kind === "tools") return `Declare ${tools.join(", ")}`;
  if (kind === "dialect") return `Add the dialect ${names.join(", ")}`;
  if (kind === "evidence") return `Set evidence to ${String(value)}`;
  if (kind === "finish_reason") return value ? `Set the finish reason to ${String(value)}` : "Forget the finish reason";
  return typeof value === "boolean" ? (value ? "The prompt opened reasoning" : "The prompt opened no reasoning") : `Set calls in reasoning to ${String(value)}`;
}

function sentence(words: string): string {
  const first = words.charAt(0).toUpperCase() + words.slice(1);
  return /[.!?]$/.test(first) ? first : `${first}.`;
}

const count = (number: number, one: string, many = `${one}s`) => `${number} ${number === 1 ? one : many}`;

function summary({ message, repairs, why }: Reading): [mood: string, words: string] {
  const { calls, incomplete, dialect } = message;
  const cut = incomplete.length > 0 ? `, ${count(incomplete.length, "incomplete call")}` : "";
  if (calls.length > 0) {
    const mended = repairs.length > 0 ? `, ${count(repairs.length, "repair")}` : "";
    const names = [...new Set(calls.map((call) => call.name))];
    const named = names.slice(0, 4).join(", ") + (names.length > 4 ? ", …" : "");
    return ["good", `${count(calls.length, "call")}: ${named}. Read as ${dialect ?? "no dialect"}${mended}${cut}.`];
  }
  if (incomplete.length > 0) return ["warn", `No call reaches the client: ${count(incomplete.length, "call")} did not finish.`];
  if (why.length > 0) return ["warn", "No call. Something here looks like one:"];
  return ["calm", "Text only. Nothing here looks like a call."];
}
