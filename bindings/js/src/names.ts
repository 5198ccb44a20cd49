/** The names of options: one that nobody knows is an error, with the name that was meant. */

import { ToolglotError } from "./engine.js";

/** Letters alone: how a name is written is no difference. */
const letters = (name: string) => name.toLowerCase().replace(/[^a-z]/g, "");

/** How many letters are wrong, missing, too many or swapped with the next. */
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

/** Returns the known name that an unknown one was meant to be, if one is near. */
function nearest(name: string, known: readonly string[]): string | undefined {
  const far = (other: string) => distance(letters(name), letters(other));
  const [best] = known.map((other) => [far(other), other] as const).sort(([a], [b]) => a - b);
  return best && best[0] <= Math.max(1, Math.floor(letters(name).length / 3)) ? best[1] : undefined;
}

/** Throws at the first option that is not among those known. */
export function checkNames(what: string, options: object, known: ReadonlySet<string>): void {
  for (const name of Object.keys(options)) {
    if (known.has(name)) continue;
    const names = [...known];
    const meant = nearest(name, names);
    const hint = meant ? `did you mean \`${meant}\`?` : `there are ${names.join(", ")}`;
    throw new ToolglotError("invalid", `${what} has no option \`${name}\`; ${hint}`);
  }
}
