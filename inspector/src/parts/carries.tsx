/** What a dialect can carry: the kinds of values that do not come back, and what may surprise. */
import type { Certificate } from "toolglot/bare";
import { Words } from "./words";

export function Carries({ found }: { found: Certificate }) {
  const { why, lost, warnings } = found;
  return (
    <div class="carries">
      {why !== null && (
        <p class="mistake">
          Two calls cannot be written and read back: <Words text={why} />
        </p>
      )}
      {why === null && lost.length === 0 && <p>Every kind of value comes back as it was: text, numbers, lists, objects.</p>}
      {why === null && lost.length > 0 && <Lines title="Does not come back as it was" lines={lost} />}
      {warnings.length > 0 && <Lines title="May surprise" lines={warnings} />}
    </div>
  );
}

function Lines({ title, lines }: { title: string; lines: string[] }) {
  return (
    <details open={lines.length < 4}>
      <summary>
        {title} ({lines.length})
      </summary>
      <ul>
        {lines.map((line) => (
          <li>
            <Words text={line} />
          </li>
        ))}
      </ul>
    </details>
  );
}
