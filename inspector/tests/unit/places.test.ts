/** Places in bytes and in UTF-16, against what the platform's own encoder says. */
import { expect, test } from "vitest";
import { byteLength, Places } from "../../src/text/places";

const TEXTS = ["", "plain", "Å på ø", "日本語", "a🛠️b👋🏽c", "\ud800 alone", "end \udc00", "\ud800", "mixed é 漢 😀 \n\r\n"];
const encoder = new TextEncoder();

test.each(TEXTS)("bytes of %j", (text) => {
  expect(byteLength(text)).toBe(encoder.encode(text).length);
});

test.each(TEXTS)("every character of %j is found from its bytes, and back", (text) => {
  const places = new Places(text);
  let unit = 0;
  for (const letter of text) {
    const from = encoder.encode(text.slice(0, unit)).length;
    const size = encoder.encode(letter).length;
    for (let byte = from; byte < from + size; byte++) expect(places.unit(byte)).toBe(unit);
    expect(places.byte(unit)).toBe(from);
    unit += letter.length;
  }
  expect(places.unit(places.bytes)).toBe(text.length);
  expect(places.byte(text.length)).toBe(places.bytes);
  expect(places.unit(places.bytes + 5)).toBe(text.length);
});

test("a place within a pair is the place behind its first byte", () => {
  const places = new Places("a😀b");
  expect(places.byte(2)).toBe(places.byte(3));
});
