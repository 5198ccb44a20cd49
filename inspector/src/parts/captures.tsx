/** Exchanges that the proxy kept: find one, open it, read it again with today's options. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { captureList, difference, filtered, type Capture } from "../captures";
import { isObject } from "../text/json";
import { take } from "../store";

/** The key is kept in memory only. */
let key = "";

async function request(path: string, method = "GET"): Promise<string> {
  const headers: Record<string, string> = key === "" ? {} : { authorization: `Bearer ${key}` };
  const answer = await fetch(new URL(path, document.baseURI), { method, headers });
  if (!answer.ok) throw new Error(answer.status === 401 || answer.status === 403 ? "key" : `the server answered ${answer.status}`);
  return answer.text();
}

export function Captures() {
  const list = useSignal<Capture[]>([]);
  const wrong = useSignal("");
  const filter = useSignal({ words: "", misses: false, repairs: false });
  const load = () =>
    request("captures").then(
      (body) => {
        list.value = captureList(JSON.parse(body));
        wrong.value = "";
      },
      (error: Error) => (wrong.value = error.message),
    );
  useEffect(() => void load(), []);
  const shown = filtered(list.value, filter.value);
  return (
    <section class="card captures" aria-label="Captures">
      <div class="card-head">
        <h2>Captures of the proxy</h2>
        <button type="button" class="quiet" onClick={() => void load()}>
          Load again
        </button>
      </div>
      {wrong.value === "key" ? <Key done={() => void load()} /> : wrong.value !== "" && <p class="mistake">{wrong.value}</p>}
      <div class="row-of">
        <input type="search" placeholder="A model, a reason, a name" aria-label="Find a capture" value={filter.value.words} onInput={(event) => (filter.value = { ...filter.value, words: event.currentTarget.value })} />
        <label class="flag">
          <input type="checkbox" checked={filter.value.misses} onChange={(event) => (filter.value = { ...filter.value, misses: event.currentTarget.checked })} /> misses
        </label>
        <label class="flag">
          <input type="checkbox" checked={filter.value.repairs} onChange={(event) => (filter.value = { ...filter.value, repairs: event.currentTarget.checked })} /> repairs
        </label>
      </div>
      {shown.length === 0 && <p class="hint">No captures{list.value.length > 0 ? " like these" : " yet"}.</p>}
      <ul class="capture-list">
        {shown.map((capture) => (
          <Row key={capture.name} capture={capture} />
        ))}
      </ul>
    </section>
  );
}

function Key({ done }: { done(): void }) {
  const enter = (event: Event) => {
    event.preventDefault();
    key = (new FormData(event.currentTarget as HTMLFormElement).get("key") as string) ?? "";
    done();
  };
  return (
    <form class="row-of" onSubmit={enter}>
      <input name="key" type="password" autocomplete="off" placeholder="The proxy's key" aria-label="The proxy's key" />
      <button type="submit" class="button">
        Use it
      </button>
    </form>
  );
}

function Row({ capture }: { capture: Capture }) {
  const diff = useSignal<ReturnType<typeof difference> | null>(null);
  const wrong = useSignal("");
  const path = `captures/${encodeURIComponent(capture.name)}`;
  const fail = (error: Error) => (wrong.value = error.message);
  const openIt = () => request(path).then(take, fail);
  const replay = () =>
    request(`${path}/replay`, "POST").then((body) => {
      const { before, after } = sides(body);
      diff.value = difference(before, after);
    }, fail);
  return (
    <li>
      <div class="capture">
        <strong>{capture.model || capture.name}</strong>
        <span class="facts">{capture.time === null ? capture.name : new Date(capture.time * 1000).toLocaleString()}</span>
        {capture.miss && <span class="tag">{capture.miss}</span>}
        {capture.repairs > 0 && <span class="tag">{capture.repairs} repaired</span>}
        <span class="tools-row">
          <button type="button" class="quiet" onClick={() => void openIt()}>Open</button>
          <button type="button" class="quiet" onClick={() => void replay()}>Replay</button>
        </span>
      </div>
      {wrong.value !== "" && <p class="mistake">{wrong.value}</p>}
      {diff.value && <Diff lines={diff.value} />}
    </li>
  );
}

/** What went to the client then, and what would now. */
function sides(body: string): { before: string; after: string } {
  const value: unknown = JSON.parse(body);
  const text = (it: unknown) => (typeof it === "string" ? it : (JSON.stringify(it, null, 2) ?? ""));
  return isObject(value) ? { before: text(value["before"]), after: text(value["after"]) } : { before: "", after: text(value) };
}

function Diff({ lines }: { lines: ReturnType<typeof difference> }) {
  if (lines.every(({ sign }) => sign === " ")) return <p class="facts">The client would get the same again.</p>;
  return (
    <pre class="diff">
      {lines.map(({ sign, line }) => (
        <span data-sign={sign}>
          {sign} {line}
          {"\n"}
        </span>
      ))}
    </pre>
  );
}
