/** A message of the engine: what stands in back quotes is code. */

export function Words({ text }: { text: string }) {
  return (
    <>
      {text.split("`").map((part, index) => (index % 2 === 0 ? part : <code>{part}</code>))}
    </>
  );
}
