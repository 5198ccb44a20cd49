/** The dialect file that the lab has open; it stays when another view is. */
import { signal } from "@preact/signals";
import type { DialectFile } from "toolglot/bare";

const NEW = `about = "Mine: each call is one JSON object between <call> tags."
special = ["<call>", "</call>"]
call = "<call>{call}</call>"
`;

export const file = signal<DialectFile>({ name: "mine", toml: NEW });

/** Whether a dialect shall be made from the inspector's text. */
export const wanted = signal(false);

/** A name that none of these files has. */
export function freshName(files: readonly DialectFile[]): string {
  const taken = new Set(files.map(({ name }) => name));
  let name = "mine";
  for (let number = 2; taken.has(name); number++) name = `mine_${number}`;
  return name;
}
