/** Examples: what goes wrong elsewhere, and each dialect as the engine writes it. */
import { useSignal } from "@preact/signals";
import type { Dialect } from "toolglot/bare";
import { ask } from "../engine/client";
import { EXAMPLES, SAMPLE, SAMPLE_TOOLS, type Example } from "../examples";
import { known, open, say } from "../store";
import { EMPTY } from "../session";
import { Dialog } from "./dialog";

export function Gallery() {
  return (
    <Dialog opener="Examples" title="Examples">
      {(close) => <Lists close={close} />}
    </Dialog>
  );
}

function Lists({ close }: { close(): void }) {
  const filter = useSignal("");
  const sought = filter.value.toLowerCase();
  const has = (...words: string[]) => words.some((word) => word.toLowerCase().includes(sought));
  const examples = EXAMPLES.filter(({ name, about }) => has(name, about));
  const dialects = known.value.filter(({ name, about, aliases, models }) => has(name, about, ...aliases, ...models));
  const pick = (run: () => void) => () => {
    close();
    run();
  };
  return (
    <>
      <input type="search" placeholder="A symptom, a dialect, a model" aria-label="Find an example" value={filter.value} onInput={(event) => (filter.value = event.currentTarget.value)} />
      <div class="gallery" tabIndex={0} role="region" aria-label="List of examples">
        {examples.length > 0 && <h3>What goes wrong</h3>}
        <ul class="tiles">
          {examples.map((example) => (
            <Tile name={example.name} about={example.about} pick={pick(() => openExample(example))} />
          ))}
        </ul>
        {dialects.length > 0 && <h3>Each dialect</h3>}
        <ul class="tiles">
          {dialects.map((dialect) => (
            <Tile name={dialect.name} about={dialect.about} pick={pick(() => void openDialect(dialect))} />
          ))}
        </ul>
      </div>
    </>
  );
}

function Tile({ name, about, pick }: { name: string; about: string; pick(): void }) {
  return (
    <li>
      <button type="button" onClick={pick}>
        <strong>{name}</strong>
        <span>{about}</span>
      </button>
    </li>
  );
}

export function openExample({ text, tools, dialects, choices }: Example): void {
  open({ ...EMPTY, text, tools: tools ? JSON.stringify(tools, null, 2) : "", dialects: dialects ?? [], choices: choices ?? {} });
}

/** Opens what the engine writes in a dialect: all of the sample, or as much as it can express. */
async function openDialect({ name }: Dialect): Promise<void> {
  const { reasoning: _, ...silent } = SAMPLE;
  const [first, second] = SAMPLE.calls;
  const tries = [SAMPLE, silent, { calls: SAMPLE.calls }, { content: SAMPLE.content, calls: [first] }, { calls: [first] }, { calls: [second] }];
  let why = "";
  for (const message of tries) {
    const written = await ask("write", name, message as typeof SAMPLE, SAMPLE_TOOLS);
    if (written.text !== undefined) {
      return open({ ...EMPTY, text: written.text, tools: JSON.stringify(SAMPLE_TOOLS, null, 2), dialects: [name] });
    }
    why ||= written.why ?? "";
  }
  say(`${name} cannot write the sample: ${why}`);
}
