/** The message as the client sees it. */
import { useSignal } from "@preact/signals";
import type { Protocol } from "toolglot/bare";
import { useEffect } from "preact/hooks";
import { ask } from "../engine/client";
import type { Moment, Reading } from "../engine/inspection";
import { arrived, belongs, moment, point, pointed, reading, reveal, session, story, targetOf, type Target } from "../store";
import { members } from "../text/json";
import { EXAMPLES } from "../examples";
import { openExample } from "./gallery";
import { Framed } from "./words";
import { readOptions, toolsOf } from "../session";

const FORMS: readonly ["read" | Protocol, string][] = [
  ["read", "Message"],
  ["chat", "Chat"],
  ["responses", "Responses"],
  ["messages", "Messages"],
];

/** Characters of one part that are shown; a message may have megabytes. */
const SHOWN = 6_000;

export function Result() {
  const form = useSignal<"read" | Protocol>("read");
  const made = reading.value;
  return (
    <section class="result card" aria-label="What the client sees">
      <div class="card-head">
        <h2>What the client sees</h2>
        <div class="segments" role="group" aria-label="Form">
          {FORMS.map(([name, label]) => (
            <button type="button" aria-pressed={form.value === name} onClick={() => (form.value = name)}>
              {label}
            </button>
          ))}
        </div>
      </div>
      <div class="result-body" tabIndex={0} role="region" aria-label="The message">
        {made && session.value.text !== "" ? (
          form.value === "read" ? <Parts made={made} /> : <Body client={form.value} />
        ) : (
          <Beginnings />
        )}
      </div>
    </section>
  );
}

/** Where to begin: texts that tell what the page is for. */
function Beginnings() {
  return (
    <>
      <p class="hint">Text, reasoning and calls appear here, as a client would get them. To see how:</p>
      <ul class="tiles">
        {EXAMPLES.slice(0, 6).map((example) => (
          <li>
            <button type="button" onClick={() => openExample(example)}>
              <strong>{example.name}</strong>
              <span>{example.about}</span>
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

function Body({ client }: { client: Protocol }) {
  const body = useSignal("");
  const now = session.value;
  useEffect(() => {
    const { tools } = toolsOf(now.tools);
    ask("body", now.text, client, readOptions(now), tools).then((text) => (body.value = text), (error) => (body.value = String(error)));
  }, [now, client]);
  return <pre class="body-json">{cut(body.value)}</pre>;
}

function Parts({ made }: { made: Reading }) {
  const now = arrived() === null ? null : moment.value;
  const { message } = made;
  const said = now ?? message;
  const calls: Moment["calls"] = now ? now.calls : message.calls.map((call) => ({ ...call, done: true }));
  return (
    <div class="parts">
      {said.reasoning !== "" && <Prose title="Reasoning" part="reasoning" text={said.reasoning} />}
      {said.content !== "" && <Prose title="Text" part="content" text={said.content} />}
      {calls.map((call, index) => call && <CallCard call={call} index={index} id={now ? null : (message.calls[index]?.id ?? null)} />)}
      {!now && message.incomplete.map((call) => (
        <article class="part incomplete">
          <h3>
            Incomplete call <code>{call.name || "without a name"}</code> <span class="tag">{call.outcome}</span>
          </h3>
          <pre>{cut(call.arguments || "no arguments")}</pre>
          <p class="facts">It is not among the calls: nobody may run half a command.</p>
        </article>
      ))}
      {said.content === "" && said.reasoning === "" && calls.length === 0 && message.incomplete.length === 0 && <p class="hint">Nothing yet.</p>}
      {!now && (
        <p class="finish">
          Finish reason <code>{message.finishReason}</code>
          {message.dialect && <> · dialect <code>{message.dialect}</code></>}
        </p>
      )}
    </div>
  );
}

/** What makes a part of the result light up its bytes, and be lit by them. */
function linked(target: Target) {
  const here = targetOf(story.value);
  const same = here !== null && here.part === target.part && here.call === target.call;
  const lit = same && (target.key === null ? here.key === null || target.part !== "call" : here.key === target.key);
  return {
    "data-lit": lit || undefined,
    onMouseEnter: () => (pointed.value = target),
    onMouseLeave: () => (pointed.value = null),
    onFocusIn: () => (pointed.value = target),
    onFocusOut: () => (pointed.value = null),
    onClick: () => show(target),
  };
}

/** Shows the first bytes of a part. */
function show(target: Target): void {
  const spans = reading.value?.spans;
  const ofIt = belongs(target);
  const first = spans?.start.findIndex((_, index) => ofIt?.(index) ?? false) ?? -1;
  if (!spans || first < 0) return;
  point.value = spans.start[first] as number;
  reveal.value = { at: spans.start[first] as number };
}

function Prose({ title, part, text }: { title: string; part: "content" | "reasoning"; text: string }) {
  const target: Target = { part, call: -1, key: null };
  return (
    <article class={`part ${part}`} {...linked(target)}>
      <h3>
        <button type="button" class="link" title="Show its bytes">{title}</button>
      </h3>
      <pre>
        <Framed text={cut(text)} />
      </pre>
    </article>
  );
}

function CallCard({ call, index, id }: { call: Moment["calls"][number]; index: number; id: string | null }) {
  const rows = call.done ? members(call.arguments) : null;
  const target: Target = { part: "call", call: index, key: null };
  return (
    <article class="part call" {...linked(target)}>
      <h3>
        <span class="number">Call {index + 1}</span>
        <button type="button" class="link tool" title="Show its bytes">{call.name}</button>
        {!call.done && <span class="tag">still arriving</span>}
      </h3>
      {rows ? (
        rows.length === 0 ? <p class="facts">No arguments: <code>{"{}"}</code></p> : (
          <dl>
            {rows.map(({ key, value }) => (
              <Row index={index} name={key} value={value} />
            ))}
          </dl>
        )
      ) : (
        <pre>{cut(call.arguments)}</pre>
      )}
      {id && <p class="facts">id <code>{id}</code></p>}
    </article>
  );
}

function Row({ index, name, value }: { index: number; name: string; value: string }) {
  const text = value.startsWith('"') ? (JSON.parse(value) as string) : null;
  const { "data-lit": lit, onMouseEnter, onClick, onFocusIn, onFocusOut } = linked({ part: "call", call: index, key: name });
  const back = () => (pointed.value = { part: "call", call: index, key: null });
  const click = (event: Event) => {
    event.stopPropagation();
    onClick();
  };
  const focus = (event: Event) => {
    event.stopPropagation();
    onFocusIn();
  };
  return (
    <div class="row" data-lit={lit} onMouseEnter={onMouseEnter} onMouseLeave={back} onClick={click}>
      <dt>
        <button type="button" class="link" title="Show its bytes" onFocusIn={focus} onFocusOut={onFocusOut}>
          {name}
        </button>
      </dt>
      <dd>
        {text === "" ? <em>empty text</em> : <Framed text={cut(text ?? value)} />}
        <span class="type">{typeOf(value)}</span>
      </dd>
    </div>
  );
}

function typeOf(value: string): string {
  const first = value[0] ?? "";
  if (first === '"') return "string";
  if (first === "{") return "object";
  if (first === "[") return "array";
  if (first === "t" || first === "f") return "boolean";
  if (first === "n") return "null";
  return /[.eE]/.test(value) ? "number" : "integer";
}

function cut(text: string): string {
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}… (${text.length} characters)` : text;
}
