/** The text: what it is read with above, what its colours mean below. */
import { useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { KINDS } from "../engine/inspection";
import { recorded } from "../recorded";
import { arrived, belongs, change, clock, moment, open, point, pointed, reading, reveal, session, take } from "../store";
import { Editor } from "../text/editor";
import { Settings } from "./settings";
import { Time } from "./time";

export function Source() {
  return (
    <section class="source card" aria-label="What the model wrote" onDrop={drop} onDragOver={(event) => event.preventDefault()}>
      <div class="card-head">
        <h2>What the model wrote</h2>
        <div class="tools-row">
          <OpenFile />
          <button type="button" class="quiet" disabled={session.value.text === ""} onClick={() => open({ ...session.value, text: "" })}>
            Clear
          </button>
        </div>
      </div>
      <Settings />
      <Text />
      <Legend />
      <Time />
    </section>
  );
}

function OpenFile() {
  const picked = (event: Event) => {
    const input = event.currentTarget as HTMLInputElement;
    const [file] = input.files ?? [];
    if (file) void file.text().then(take);
    input.value = "";
  };
  return (
    <label class="quiet file">
      Open a file
      <input type="file" aria-label="Open a text, a saved answer or a saved stream" onChange={picked} />
    </label>
  );
}

function drop(event: DragEvent): void {
  const [file] = event.dataTransfer?.files ?? [];
  if (!file) return;
  event.preventDefault();
  void file.text().then(take);
}

function Text() {
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<Editor>();
  useEffect(() => {
    const made = new Editor(host.current as HTMLElement, {
      label: "What the model wrote",
      hint: "Paste a model's raw text here, or a saved answer or stream of a chat API. Or pick one of the examples above.",
      onChange: (text) => {
        if (text === session.peek().text) return;
        const pasted = session.peek().text === "" ? recorded(text) : null;
        if (pasted) take(text);
        else change({ text });
      },
      onPoint: (at) => (point.value = at ?? point.peek()),
    });
    editor.current = made;
    made.setText(session.peek().text);
    paint(made);
    return () => made.destroy();
  }, []);
  useSignalEffect(() => editor.current?.setText(session.value.text));
  useSignalEffect(() => editor.current && paint(editor.current));
  useSignalEffect(() => {
    if (reveal.value) editor.current?.reveal(reveal.value.at);
  });
  return <div class="editor" ref={host} />;
}

function paint(editor: Editor): void {
  const made = reading.value;
  const now = arrived();
  const out = moment.value?.arrived === now ? moment.value?.out : undefined;
  const time = now === null ? null : { arrived: now, out: out ?? Math.min(moment.value?.out ?? 0, now) };
  editor.paint({ spans: made?.spans ?? null, length: made?.length ?? 0, lit: belongs(pointed.value), time, missed: made?.why.filter(({ reason }) => reason !== "nothing") ?? [] });
}

/** The kinds of spans in this text; a click goes to the next one. */
function Legend() {
  const spans = reading.value?.spans;
  const counts = KINDS.map(() => 0);
  spans?.kind.forEach((kind) => (counts[kind] = (counts[kind] as number) + 1));
  if (!spans || spans.kind.length === 0) return null;
  const next = (kind: number) => {
    const from = point.value ?? -1;
    let at = spans.kind.findIndex((it, index) => it === kind && (spans.start[index] as number) > from);
    if (at < 0) at = spans.kind.indexOf(kind);
    point.value = spans.start[at] as number;
    reveal.value = { at: spans.start[at] as number };
  };
  return (
    <ul class="legend" aria-label="What bytes became; a press goes to the next one">
      {KINDS.map((kind, index) =>
        counts[index] === 0 ? null : (
          <li>
            <button type="button" class={`chip k-${kind}`} onClick={() => next(index)}>
              {kind} <small>{counts[index]}</small>
            </button>
          </li>
        ),
      )}
      {clock.value.pieces !== null && (
        <li>
          <span class="chip k-held">held back</span>
        </li>
      )}
    </ul>
  );
}
