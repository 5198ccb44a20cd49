/** What the text is read with: dialects, tools, options. */
import { useSignal } from "@preact/signals";
import { change, known, session, toolNames } from "../store";
import { CHOICES, FLAGS, chosen, toolsOf, type Choices } from "../session";
import { Dialog } from "./dialog";

export function Settings() {
  const { dialects, choices, files } = session.value;
  const names = toolNames();
  const options = chosen(choices).length;
  return (
    <div class="settings">
      <Dialog openerClass="setting" title="Dialects" opener={<Said what="Dialects" value={dialects.length === 0 ? "auto" : dialects.join(", ")} />}>
        {() => <Dialects />}
      </Dialog>
      <Dialog openerClass="setting" title="Declared tools" opener={<Said what="Tools" value={names.length === 0 ? "none" : names.join(", ")} />}>
        {() => <Tools />}
      </Dialog>
      <Dialog openerClass="setting" title="Options" opener={<Said what="Options" value={options === 0 ? "defaults" : chosen(choices).join(", ")} />}>
        {() => <Options />}
      </Dialog>
      {files.map((file) => (
        <button type="button" class="setting" onClick={() => dropFile(file.name)}>
          <Said what="Own dialect" value={`${file.name} ✕`} />
        </button>
      ))}
    </div>
  );
}

function Said({ what, value }: { what: string; value: string }) {
  return (
    <>
      <span class="what">{what}</span> <span class="value">{value}</span>
    </>
  );
}

function dropFile(name: string): void {
  const { files, dialects } = session.value;
  change({ files: files.filter((file) => file.name !== name), dialects: dialects.filter((it) => it !== name) });
}

function Dialects() {
  const filter = useSignal("");
  const { dialects, files } = session.value;
  const own = files.map(({ name }) => ({ name, about: "your own", aliases: [] as string[], models: [] as string[] }));
  const sought = filter.value.toLowerCase();
  const found = [...own, ...known.value].filter(({ name, about, aliases, models }) =>
    [name, about, ...aliases, ...models].some((it) => it.toLowerCase().includes(sought)),
  );
  const toggle = (name: string, on: boolean) => change({ dialects: on ? [...dialects, name] : dialects.filter((it) => it !== name) });
  return (
    <>
      <div class="row-of">
        <input type="search" placeholder="A name, a model, an alias" aria-label="Find a dialect" value={filter.value} onInput={(event) => (filter.value = event.currentTarget.value)} />
        <button type="button" class="button" disabled={dialects.length === 0} onClick={() => change({ dialects: [] })}>
          All (auto)
        </button>
      </div>
      <p class="facts">None chosen means all of them: the bytes decide which one it is.</p>
      <ul class="checks" tabIndex={0} aria-label="Dialects">
        {found.map(({ name, about }) => (
          <li>
            <label>
              <input type="checkbox" checked={dialects.includes(name)} onChange={(event) => toggle(name, event.currentTarget.checked)} />
              <strong>{name}</strong> <span>{about}</span>
            </label>
          </li>
        ))}
      </ul>
    </>
  );
}

function Tools() {
  const { tools } = session.value;
  const { why } = toolsOf(tools);
  return (
    <>
      <p class="facts">The <code>tools</code> of a request, in the form of any vendor.</p>
      <textarea
        class="code-field"
        aria-label="Declared tools as JSON"
        aria-invalid={why !== null}
        spellcheck={false}
        rows={18}
        value={tools}
        placeholder={'[{ "name": "get_weather", "parameters": { "type": "object", "properties": { "city": { "type": "string" } } } }]'}
        onInput={(event) => change({ tools: event.currentTarget.value })}
      />
      <p class="mistake" role="status">{why ?? ""}</p>
    </>
  );
}

/** The words of an option, and what a reason or a link set besides. */
function offered(words: readonly string[], value: unknown): readonly string[] {
  return value === undefined || words.includes(String(value)) ? words : [...words, String(value)];
}

function Options() {
  const { choices } = session.value;
  const set = (key: keyof Choices, value: unknown) => change({ choices: { ...choices, [key]: value } as Choices });
  return (
    <>
      <div class="options">
        {CHOICES.map(({ key, label, words }) => (
          <label>
            <span>{label}</span>
            <select value={String(choices[key] ?? words[0])} onChange={(event) => set(key, event.currentTarget.value === words[0] ? undefined : event.currentTarget.value)}>
              {offered(words, choices[key]).map((word, index) => (
                <option value={word}>{word === "" ? "not said" : index === 0 ? `${word} (default)` : word}</option>
              ))}
            </select>
          </label>
        ))}
        {FLAGS.map(({ key, label }) => (
          <label class="flag">
            <input type="checkbox" checked={choices[key] === true} onChange={(event) => set(key, event.currentTarget.checked || undefined)} />
            <span>{label}</span>
          </label>
        ))}
      </div>
      <button type="button" class="button" onClick={() => change({ choices: {} })}>
        Back to the defaults
      </button>
    </>
  );
}
