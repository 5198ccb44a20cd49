/** JSON whose shape is not known. */

export type Json = Record<string, unknown>;

export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Cuts the text of an object into its members, each as it is written: numbers keep their digits. */
export function members(text: string): { key: string; value: string }[] | null {
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value)) return null;
  } catch {
    return null;
  }
  const found: { key: string; value: string }[] = [];
  let depth = 0;
  let from = text.indexOf("{") + 1;
  let key: string | null = null;
  for (let at = from; at < text.length; at++) {
    const letter = text[at];
    if (letter === '"') {
      const end = stringEnd(text, at);
      if (depth === 0 && key === null) {
        key = JSON.parse(text.slice(at, end)) as string;
        from = text.indexOf(":", end) + 1;
        at = from - 1;
      } else at = end - 1;
    } else if (letter === "{" || letter === "[") depth += 1;
    else if (depth > 0 && (letter === "}" || letter === "]")) depth -= 1;
    else if (depth === 0 && (letter === "," || letter === "}")) {
      if (key !== null) found.push({ key, value: text.slice(from, at).trim() });
      key = null;
      if (letter === "}") break;
    }
  }
  return found;
}

function stringEnd(text: string, at: number): number {
  let end = at + 1;
  while (end < text.length && text[end] !== '"') end += text[end] === "\\" ? 2 : 1;
  return end + 1;
}
