/** What is asked about a text that was read, with letters of several bytes before it. */
import { expect, test } from "vitest";
import type { InspectionRows } from "toolglot/bare";
import { Slot } from "../../src/engine/slot";

const TEXT = "Å<call>ls</call>";
const INSPECTION: InspectionRows = {
  message: { content: "Å", reasoning: "", calls: [{ id: "1", name: "ls", arguments: "{}" }], incomplete: [], finishReason: "tool_calls", dialect: "d", diagnostics: [] },
  // Ends, kinds, calls: text, marker, name, marker.
  spans: [2, 0, -1, 8, 2, 0, 10, 3, 0, 17, 2, 0],
  repairs: [{ code: "r", class: "repair", start: 8, end: 10, message: "m", before: "ls", after: "ls" }],
  steps: [
    { action: "died", start: 2, end: 2, dialect: "e", detail: "" },
    { action: "committed", start: 2, end: 10, dialect: "d", detail: "" },
  ],
  // Text, the call's start, arguments, its end.
  arrivals: { rows: [2, 0, -1, 11, 2, 0, 17, 3, 0, 17, 4, 0], text: ["Å", "ls", "{}", "complete"] },
  held: [0, 0, 2, 2, 11, 10, 17, 17],
  why: [],
};
const slot = new Slot(TEXT, INSPECTION, 1);

test("spans are in units of the page and tile the text", () => {
  const { spans, length } = slot.reading();
  expect([...spans.start]).toEqual([0, 1, 7, 9]);
  expect([...spans.end]).toEqual([1, 7, 9, length]);
  expect([...spans.call]).toEqual([-1, 0, 0, 0]);
});

test("a story has the steps and repairs of its span, and until when it was held", () => {
  expect(slot.story(3)).toMatchObject({ kind: "marker", call: 0, name: "ls", dialect: "d", until: 10, repairs: [] });
  expect(slot.story(3)?.steps).toHaveLength(2);
  expect(slot.story(8)).toMatchObject({ kind: "name", repairs: [{ code: "r", start: 7, end: 9 }] });
  expect(slot.story(TEXT.length)).toBeNull();
});

test("a moment has what had gone out", () => {
  expect(slot.moment(0)).toMatchObject({ out: 0, content: "", calls: [] });
  expect(slot.moment(5)).toMatchObject({ out: 1, content: "Å", calls: [] });
  expect(slot.moment(11)).toMatchObject({ out: 9, calls: [{ name: "ls", arguments: "", done: false }] });
  expect(slot.moment(99)).toMatchObject({ calls: [{ name: "ls", arguments: "{}", done: true }] });
});
