/** Names of options. An unknown name is an error that suggests the closest known one. */

import { ToolglotError } from "./engine.js";

/** Returns only the letters: case and separators are ignored. */
const letters = (name: string) => name.toLowerCase().replace(/[^a-z]/g, "");

/** Returns the edit distance, with transpositions. */
function distance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= a.length; row++) {
    const line = [row];
    for (let column = 1; column <= b.length; column++) {
      const [above, before] = [rows[row - 1] as number[], rows[row - 2]];
      const same = a[row - 1] === b[column - 1];
      let least = Math.min((above[column] as number) + 1, (line[column - 1] as number) + 1, (above[column - 1] as number) + (same ? 0 : 1));
      if (before && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) least = Math.min(least, (before[column - 2] as number) + 1);
      line.push(least);
    }
    rows.push(line);
  }
  return rows[a.length]?.[b.length] as number;
}

/** Returns the closest known name, if it is similar enough. */
function nearest(name: string, known: readonly string[]): string | undefined {
  const far = (other: string) => distance(letters(name), letters(other));
  const [best] = known.map((other) => [far(other), other] as const).sort(([a], [b]) => a - b);
  return best && best[0] <= Math.max(1, Math.floor(letters(name).length / 3)) ? best[1] : undefined;
}

/** Throws if an option is unknown. */
export function checkNames(what: string, options: object, known: ReadonlySet<string>): void {
  for (const name of Object.keys(options)) {
    if (known.has(name)) continue;
    const names = [...known];
    const meant = nearest(name, names);
    const hint = meant ? `did you mean \`${meant}\`?` : `there are ${names.join(", ")}`;
    throw new ToolglotError("invalid", `${what} has no option \`${name}\`; ${hint}`);
  }
}
