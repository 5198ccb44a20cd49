/** Texts as the page shows them. */

/** A message of the engine; what stands in back quotes is code. */
export function Words({ text }: { text: string }) {
  return (
    <>
      {text.split("`").map((part, index) => (index % 2 === 0 ? part : <code>{part}</code>))}
    </>
  );
}

/** Line breaks at both ends are shown as signs: as empty lines nobody could count them. */
export function Framed({ text }: { text: string }) {
  const [, before = "", middle = "", after = ""] = /^(\n*)([^]*?)(\n*)$/.exec(text) ?? [];
  const sign = (breaks: string) => breaks !== "" && <span class="breaks">{"⏎".repeat(Math.min(breaks.length, 12))}</span>;
  return (
    <>
      {sign(before)}
      {before && middle && "\n"}
      {middle}
      {sign(after)}
    </>
  );
}
