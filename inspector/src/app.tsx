/** The page: its head, and the view that is open. */
import { Captures } from "./parts/captures";
import { Gallery } from "./parts/gallery";
import { Lab } from "./parts/lab";
import { Result } from "./parts/result";
import { ShareMenu } from "./parts/share_menu";
import { Source } from "./parts/source";
import { StoryPanel } from "./parts/story_panel";
import { Verdict } from "./parts/verdict";
import { note, server, view, type View } from "./store";

const VIEWS: readonly [View, string][] = [
  ["inspect", "Inspect"],
  ["lab", "Dialect lab"],
  ["captures", "Captures"],
];

export function App() {
  const shown = VIEWS.filter(([name]) => name !== "captures" || server.value.captures);
  return (
    <>
      <header class="head">
        <h1 class="brand">
          <img src="./icon.svg" alt="" width="26" height="26" />
          toolglot <span>inspector</span>
        </h1>
        <nav aria-label="Views" class="views">
          {shown.map(([name, label]) => (
            <button type="button" aria-current={view.value === name ? "page" : undefined} onClick={() => (view.value = name)}>
              {label}
            </button>
          ))}
        </nav>
        <div class="actions">
          <Gallery />
          <ShareMenu />
        </div>
      </header>
      <main>
        {view.value === "inspect" && <Inspect />}
        {view.value === "lab" && <Lab />}
        {view.value === "captures" && <Captures />}
      </main>
      <p class="toast" role="status" data-shown={note.value !== ""}>
        {note.value}
      </p>
    </>
  );
}

function Inspect() {
  return (
    <div class="inspect">
      <Verdict />
      <div class="columns">
        <Source />
        <div class="right">
          <Result />
          <StoryPanel />
        </div>
      </div>
    </div>
  );
}
