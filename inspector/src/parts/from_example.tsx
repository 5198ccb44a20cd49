/** A dialect file out of a text and the calls that it means. */
import { useSignal, type Signal } from "@preact/signals";
import { ask } from "../engine/client";
import { file, wanted } from "../lab";
import { session } from "../store";
import { Dialog } from "./dialog";
import { Words } from "./words";

interface Meant {
  name: string;
  arguments: string;
}

export function FromExample() {
  return (
    <Dialog opener="From an example…" title="Make a dialect from an example" wanted={wanted}>
      {(close) => <Form close={close} />}
    </Dialog>
  );
}

const NONE: Meant = { name: "", arguments: "" };

function Form({ close }: { close(): void }) {
  const text = useSignal<string | null>(null);
  const calls = useSignal<Meant[]>([NONE]);
  const strong = useSignal(true);
  const why = useSignal<string | null>(null);
  const shown = text.value ?? session.value.text;
  const make = async () => {
    const { name } = file.peek();
    const meant = calls.value.filter((call) => call.name.trim() !== "").map((call) => ({ ...call, name: call.name.trim() }));
    const made = await ask("sketch", { name, about: "Made from an example.", text: shown, calls: meant, strong: strong.value });
    why.value = made.why ?? null;
    if (made.toml === undefined) return;
    file.value = { name, toml: made.toml };
    close();
  };
  return (
    <form
      class="from-example"
      onSubmit={(event) => {
        event.preventDefault();
        void make();
      }}
    >
      <label>
        <span>What the model wrote: one call, or two in a row with all that stands around them</span>
        <textarea class="code-field" rows={7} spellcheck={false} value={shown} onInput={(event) => (text.value = event.currentTarget.value)} />
      </label>
      <Calls calls={calls} />
      <label class="flag">
        <input type="checkbox" checked={strong.value} onChange={(event) => (strong.value = event.currentTarget.checked)} />
        <span>Prose never contains what the calls open with</span>
      </label>
      {why.value && (
        <p class="mistake" role="alert">
          <Words text={why.value} />
        </p>
      )}
      <button type="submit" class="button">
        Make the dialect
      </button>
    </form>
  );
}

/** The calls that are meant: a second one tells the wrapper from the call. */
function Calls({ calls }: { calls: Signal<Meant[]> }) {
  const set = (index: number, part: Partial<Meant>) => (calls.value = calls.value.map((call, at) => (at === index ? { ...call, ...part } : call)));
  return (
    <>
      {calls.value.map((call, index) => (
        <fieldset>
          <legend>Call {index + 1} means</legend>
          <label>
            <span>Tool</span>
            <input type="text" spellcheck={false} value={call.name} placeholder="get_weather" onInput={(event) => set(index, { name: event.currentTarget.value })} />
          </label>
          <label class="wide">
            <span>Arguments as JSON</span>
            <input type="text" spellcheck={false} value={call.arguments} placeholder={'{"city": "Paris"}'} onInput={(event) => set(index, { arguments: event.currentTarget.value })} />
          </label>
        </fieldset>
      ))}
      <button type="button" class="quiet" onClick={() => (calls.value = [...calls.value, NONE])}>
        Another call
      </button>
    </>
  );
}
