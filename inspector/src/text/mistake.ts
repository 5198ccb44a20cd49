/** What is wrong in a dialect file, out of what the checker prints. */

/** Lines and columns count characters from 1. */
export interface Mistake {
  line: number;
  column: number;
  width: number;
  message: string;
  help: string | null;
}

/** Reads what the checker prints: `FILE:LINE:COLUMN: MESSAGE`, the line with its place marked, and help. */
export function mistake(printed: string): Mistake {
  const [first = "", ...rest] = printed.split("\n");
  const place = /^[^:]*:(\d+):(\d+): (.*)$/.exec(first);
  const help = rest.find((line) => line.startsWith("  = "))?.slice(4) ?? null;
  const width = rest.map((line) => /^\s*\|\s*(\^+)$/.exec(line)?.[1]?.length).find((it) => it !== undefined) ?? 1;
  if (!place) return { line: 1, column: 1, width, message: printed, help };
  return { line: Number(place[1]), column: Number(place[2]), width, message: place[3] as string, help };
}

/** The units of a mistake, whose columns count characters. */
export function placeOf(text: string, { line, column, width }: Mistake): { from: number; to: number } {
  const lines = text.split("\n");
  const before = lines.slice(0, line - 1).reduce((sum, it) => sum + it.length + 1, 0);
  const letters = [...(lines[line - 1] ?? "")];
  const units = (count: number) => letters.slice(0, count).join("").length;
  const from = Math.min(before + units(column - 1), text.length);
  return { from, to: Math.min(before + Math.max(units(column - 1 + width), units(column - 1)), text.length) };
}
