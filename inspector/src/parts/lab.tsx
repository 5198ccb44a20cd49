/** The dialect lab: a dialect file, what is wrong in it, and what it writes and reads. */
import { signal, useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Certificate, DialectFile } from "toolglot/bare";
import { ask, latest } from "../engine/client";
import type { Reading } from "../engine/inspection";
import { SAMPLE, SAMPLE_TOOLS } from "../examples";
import { file } from "../lab";
import { change, known, open, session } from "../store";
import { Editor } from "../text/editor";
import { Carries } from "./carries";
import { FromExample } from "./from_example";
import { Words } from "./words";
import { isObject } from "../text/json";
import { placeOf, type Mistake } from "../text/mistake";

const { reasoning: _, ...CALLS } = SAMPLE;

const sample = signal(JSON.stringify(CALLS, null, 2));
const mistake = signal<Mistake | null>(null);
const trip = signal<Trip | null>(null);
const certificate = signal<Certificate | null>(null);

/** A message, written and read again. */
interface Trip {
  written: string | null;
  why: string | null;
  reading: Reading | null;
  calls: { name: string; meant: string; read: string | null }[];
}

const run = latest(
  async (of: DialectFile, text: string): Promise<[Mistake | null, Trip | null, Certificate | null]> => {
    const wrong = await ask("check", of);
    return wrong ? [wrong, null, null] : [null, await goRound(of, text), await ask("certify", of)];
  },
  ([wrong, made, found]) => {
    mistake.value = wrong;
    trip.value = made;
    certificate.value = found;
  },
);

async function goRound(of: DialectFile, text: string): Promise<Trip> {
  const nothing = { written: null, reading: null, calls: [] };
  let message: typeof CALLS;
  try {
    message = JSON.parse(text) as typeof CALLS;
  } catch (error) {
    return { ...nothing, why: `The sample is not JSON: ${(error as Error).message}` };
  }
  if (!isObject(message)) return { ...nothing, why: "The sample is not an object" };
  const { text: written, why } = await ask("write", of.name, message, SAMPLE_TOOLS, [of]);
  if (written === undefined) return { ...nothing, why: why ?? "It cannot be written" };
  const reading = await ask("read", "lab", written, { tools: SAMPLE_TOOLS, files: [of], dialects: [of.name], idSeed: 0 });
  const calls = (message.calls ?? []).map((call, index) => {
    const read = reading.message.calls[index];
    return { name: call.name, meant: JSON.stringify(call.arguments), read: read?.name === call.name ? read.arguments : null };
  });
  return { written, why: null, reading, calls };
}

export function Lab() {
  useSignalEffect(() => run(file.value, sample.value));
  return (
    <div class="columns lab">
      <section class="card source" aria-label="Dialect file">
        <div class="card-head">
          <h2>Dialect file</h2>
          <div class="tools-row">
            <FromExample />
            <Begin />
          </div>
        </div>
        <File />
        <Checked />
      </section>
      <div class="right">
        <Written />
        <section class="card sample" aria-label="Sample message">
          <div class="card-head">
            <h2>The message that is written</h2>
          </div>
          <textarea class="code-field" aria-label="Sample message as JSON" rows={11} spellcheck={false} value={sample.value} onInput={(event) => (sample.value = event.currentTarget.value)} />
        </section>
      </div>
    </div>
  );
}

/** Begins with a built-in dialect's file; the copy gets a name of its own. */
function Begin() {
  const begin = async (name: string) => {
    if (name === "") return;
    const { default: files } = await import("virtual:dialects");
    file.value = { name: `my_${name}`, toml: files[name] ?? file.value.toml };
  };
  return (
    <label class="begin">
      <span>Begin with</span>
      <select aria-label="Begin with a built-in dialect" onChange={(event) => void begin(event.currentTarget.value)}>
        <option value="">a built-in one…</option>
        {known.value.map(({ name }) => (
          <option value={name}>{name}</option>
        ))}
      </select>
    </label>
  );
}

function File() {
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<Editor>();
  useEffect(() => {
    const made = new Editor(host.current as HTMLElement, {
      label: "Dialect file in TOML",
      numbers: true,
      onChange: (toml) => toml !== file.peek().toml && (file.value = { ...file.peek(), toml }),
    });
    editor.current = made;
    made.setText(file.peek().toml);
    return () => made.destroy();
  }, []);
  useSignalEffect(() => editor.current?.setText(file.value.toml));
  useSignalEffect(() => {
    const wrong = mistake.value;
    editor.current?.mark(wrong && { ...placeOf(file.peek().toml, wrong), message: wrong.message });
  });
  return <div class="editor" ref={host} />;
}

function Checked() {
  const wrong = mistake.value;
  return (
    <div class="checked" role="status" data-good={wrong === null}>
      {wrong ? (
        <>
          <p>
            Line {wrong.line}, column {wrong.column}: <Words text={wrong.message} />
          </p>
          {wrong.help && <p class="facts"><Words text={wrong.help} /></p>}
        </>
      ) : (
        <p>The file is right.</p>
      )}
      {!wrong && certificate.value && <Carries found={certificate.value} />}
    </div>
  );
}

function Written() {
  const made = trip.value;
  const tryIt = () => {
    const { files, text } = session.value;
    const kept = files.filter(({ name }) => name !== file.value.name);
    const next = { files: [...kept, file.value], dialects: [file.value.name] };
    if (text === "") open({ ...session.value, ...next, text: made?.written ?? "", tools: JSON.stringify(SAMPLE_TOOLS, null, 2) });
    else {
      change(next);
      open(session.value);
    }
  };
  return (
    <section class="card written" aria-label="Written and read again">
      <div class="card-head">
        <h2>Written and read again</h2>
        <button type="button" class="button" disabled={mistake.value !== null} onClick={tryIt}>
          {session.value.text === "" ? "Open in the inspector" : "Read the inspector's text with it"}
        </button>
      </div>
      {made?.why && <p class="mistake">{made.why}</p>}
      {made?.written != null && made.reading && (
        <>
          <Coloured text={made.written} reading={made.reading} />
          <ul class="round">
            {made.calls.map(({ name, meant, read }) => (
              <li data-good={read !== null && sameJson(meant, read)}>
                <strong>{name}</strong>
                {read === null ? " was not read again" : sameJson(meant, read) ? " came back as it was" : <> came back as <code>{read}</code></>}
              </li>
            ))}
          </ul>
        </>
      )}
      {!made && <p class="hint">Once the file is right, a message is written in it and read again.</p>}
    </section>
  );
}

function sameJson(meant: string, read: string): boolean {
  const sorted = (value: unknown): unknown =>
    Array.isArray(value) ? value.map(sorted) : isObject(value) ? Object.fromEntries(Object.keys(value).sort().map((key) => [key, sorted(value[key])])) : value;
  try {
    return JSON.stringify(sorted(JSON.parse(meant))) === JSON.stringify(sorted(JSON.parse(read)));
  } catch {
    return false;
  }
}

function Coloured({ text, reading }: { text: string; reading: Reading }) {
  const host = useRef<HTMLDivElement>(null);
  const now = useSignal<Editor | null>(null);
  useEffect(() => {
    const made = new Editor(host.current as HTMLElement, { label: "The message as the dialect writes it", readOnly: true });
    now.value = made;
    return () => made.destroy();
  }, []);
  useEffect(() => {
    now.value?.setText(text);
    now.value?.paint({ spans: reading.spans, length: reading.length, lit: null, time: null });
  }, [text, reading, now.value]);
  return <div class="editor small" ref={host} />;
}
