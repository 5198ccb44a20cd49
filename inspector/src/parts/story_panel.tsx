/** The story of the span that is pointed at. */
import type { Mending, Step } from "toolglot/bare";
import type { Story } from "../engine/inspection";
import { session, story } from "../store";
import { Framed, Words } from "./words";

const WORDS: Record<Story["kind"], string> = {
  text: "Text: it reaches the client as it stands",
  reasoning: "Reasoning",
  marker: "Marker: it belongs to the dialect and goes to nobody",
  name: "The name of the tool",
  id: "The call's id",
  key: "The key of an argument",
  value: "The value of an argument",
  punctuation: "Punctuation of the arguments",
  repaired: "Repaired: read as what it was meant to be",
  skipped: "Skipped: it is in no part of the message",
};

const ACTIONS: Record<string, string> = { opened: "Something may begin here:", committed: "Read as" };

/** Characters of a span that are shown. */
const SHOWN = 160;

export function StoryPanel() {
  const told = story.value;
  return (
    <section class="story card" aria-label="The story of a span" data-empty={!told || undefined} tabIndex={0}>
      {told ? <Told told={told} /> : <p class="hint">Point at the text, or move the caret through it: each span tells what it became and why.</p>}
    </section>
  );
}

function Told({ told }: { told: Story }) {
  const { text } = session.value;
  const bytes = text.slice(told.start, told.end);
  const waited = told.until - told.end;
  return (
    <>
      <p class="story-head" aria-live="polite">
        <span class={`chip k-${told.kind}`}>{told.kind}</span>
        <strong>{WORDS[told.kind]}</strong>
        {told.call >= 0 && <span class="of">of call {told.call + 1}{told.name ? `, ${told.name}` : ""}</span>}
      </p>
      <pre class="bytes">
        <Framed text={bytes.length > SHOWN ? `${bytes.slice(0, SHOWN)}…` : bytes} />
      </pre>
      <p class="facts">
        Characters {told.start}–{told.end}
        {told.call >= 0 && told.dialect && <> · dialect {told.dialect}</>}
        {waited > 0 ? (
          <>
            {" "}· held until <code>{seen(text[told.until - 1] ?? "")}</code> had come, {waited} {waited === 1 ? "character" : "characters"} later
          </>
        ) : (
          <> · went out at once</>
        )}
      </p>
      {told.repairs.map((repair) => (
        <Mended repair={repair} />
      ))}
      {told.diagnostics.map((it) => (
        <p class="diagnostic">
          <code>{it.code}</code> <Words text={it.message} />
        </p>
      ))}
      {told.steps.length > 0 && <Steps steps={told.steps} />}
    </>
  );
}

function seen(letter: string): string {
  return letter === "\n" ? "⏎" : letter === " " ? "␠" : letter;
}

function Mended({ repair }: { repair: Mending }) {
  return (
    <div class="mended">
      <p>
        <code>{repair.code}</code> <Words text={repair.message} />
      </p>
      <p class="before-after">
        <del><Framed text={repair.before || "nothing"} /></del>
        <span aria-hidden="true"> → </span>
        <ins><Framed text={repair.after || "nothing"} /></ins>
      </p>
    </div>
  );
}

/** What was tried here: the winner first, then those that were not it. */
function Steps({ steps }: { steps: Step[] }) {
  const won = steps.filter((step) => step.action !== "died");
  const died = steps.filter((step) => step.action === "died");
  return (
    <div class="steps">
      <ul>
        {won.map((step) => (
          <li data-action={step.action}>
            {ACTIONS[step.action] ?? step.action}
            {step.dialect && <strong> {step.dialect}</strong>} <code>{step.detail}</code>
          </li>
        ))}
      </ul>
      {died.length > 0 && (
        <details open={won.length === 0 || undefined}>
          <summary>{died.length} {died.length === 1 ? "pattern was" : "patterns were"} tried here and given up</summary>
          <ul>
            {died.map((step) => (
              <li>
                <strong>{step.dialect}</strong> <code>{step.detail}</code>
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}
