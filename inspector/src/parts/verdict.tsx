/** The first line: what the client gets, and if it is no call, why not and what would change it. */
import type { Remedy, WhyNot } from "toolglot/bare";
import type { Reading } from "../engine/inspection";
import { wanted } from "../lab";
import { apply, failure, reading, reveal, session, view } from "../store";
import { toolsOf } from "../session";
import { Words } from "./words";

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
      {!wrong && text !== "" && made && told(made).length > 0 && (
        <ul class="whys">
          {told(made).map((why) => (
            <Reason why={why} />
          ))}
        </ul>
      )}
    </section>
  );
}

/** The reasons worth a line: that a text has nothing of a call is said by the first line. */
function told({ why }: Reading): WhyNot[] {
  return why.filter(({ reason, message }) => reason !== "nothing" || message.includes("`"));
}

/** Reasons that a dialect of one's own may do away with. */
const FOREIGN: readonly WhyNot["reason"][] = ["unknown_marker", "weak_marker", "nothing"];

function makeDialect(): void {
  view.value = "lab";
  wanted.value = true;
}

const EMPTY = "Paste what a model wrote. Every byte shows what it became. Nothing leaves this page.";

function Reason({ why }: { why: WhyNot }) {
  return (
    <li>
      <button type="button" class="link" onClick={() => (reveal.value = { at: why.start })}>
        <Words text={sentence(why.message)} />
      </button>
      {why.fix && (
        <button type="button" class="fix" onClick={() => apply(why.fix as Remedy)}>
          {proposal(why.fix)}
        </button>
      )}
      {!why.fix && FOREIGN.includes(why.reason) && (
        <button type="button" class="fix" onClick={makeDialect}>
          Make a dialect from it
        </button>
      )}
    </li>
  );
}

/** What a button does. */
function proposal({ kind, value }: Remedy): string {
  const said: Record<Remedy["kind"], string> = {
    tools: `Declare ${value}`,
    dialect: `Add the dialect ${value}`,
    file: "Add a dialect that reads it",
    evidence: `Set evidence to ${value}`,
    reasoning: value === "end" ? "Let a call end the reasoning" : "Wait whether the reasoning closes",
    reasoning_open: value === "true" ? "The prompt opened reasoning" : "The prompt opened no reasoning",
    finish_reason: value ? `Finish reason: ${value}` : "Forget the finish reason",
    accept_incomplete: "Return calls that were cut off",
    unknown_tool: value === "call" ? "Read undeclared tools as calls" : "Leave undeclared tools as text",
    validation: `Set the check of arguments to ${value}`,
    repairs: `Set repairs to ${value}`,
  };
  return said[kind];
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
  const [first] = why;
  if (first && first.reason !== "nothing") return ["warn", "No call. Something here looks like one:"];
  if (first?.message.includes("`")) return ["warn", "No call:"];
  return ["calm", "Text only. Nothing here looks like a call."];
}
