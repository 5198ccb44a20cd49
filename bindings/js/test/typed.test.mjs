import assert from "node:assert/strict";
import { test } from "node:test";

import { toStandardJsonSchema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { z } from "zod";

import { parse, ToolglotError, ToolSet } from "toolglot";

const call = (json) => `<tool_call>{"name": "get_weather", "arguments": ${json}}</tool_call>`;
const libraries = {
  zod: z.object({ city: z.string(), days: z.int().default(1) }),
  valibot: toStandardJsonSchema(v.object({ city: v.string(), days: v.optional(v.pipe(v.number(), v.integer()), 1) })),
  "valibot without JSON Schema": v.object({ city: v.string(), days: v.optional(v.pipe(v.number(), v.integer()), 1) }),
};

for (const [name, parameters] of Object.entries(libraries))
  test(`tools with schemas of ${name}`, async () => {
    const weather = new ToolSet({ get_weather: { description: "The weather.", parameters } });
    const [tool] = weather.tools;
    assert.equal(tool.description, "The weather.");
    if (name.includes("without")) assert.equal(tool.parameters, undefined);
    else assert.equal(tool.parameters.properties.city.type, "string");
    const found = parse(call('{"city": "Oslo"}') + call('{"city": 7, "days": "soon"}') + call('{"city": "Rome", "days": 2}'), { tools: weather.tools });
    const [first, second, third] = await weather.calls(found);
    assert.deepEqual([first.valid, first.name, first.arguments], [true, "get_weather", { city: "Oslo", days: 1 }]);
    assert.deepEqual([second.valid, second.json, second.issues.length > 0], [false, found.calls[1].arguments, true]);
    assert.deepEqual(third.arguments, { city: "Rome", days: 2 });
    const [unknown] = await weather.calls({ calls: [{ id: "1", name: "toString", arguments: "{}" }] });
    assert.deepEqual([unknown.valid, unknown.issues[0].message], [false, "no tool `toString` is declared"]);
  });

test("the schema decides how text is read", async () => {
  const tools = new ToolSet({ get_weather: { parameters: z.object({ city: z.string() }) } });
  const text = "<tool_call><function=get_weather><parameter=city>7</parameter></function></tool_call>";
  const [{ arguments: read }] = await tools.calls(parse(text, { tools: tools.tools }));
  assert.deepEqual(read, { city: "7" });
});

test("what is no schema is an error that says what is", () => {
  for (const definition of [{ parameters: { type: "object" } }, {}, { parameters: z.object({}), descripton: "?" }])
    assert.throws(() => new ToolSet({ ls: definition }), (error) => error instanceof ToolglotError && error.kind === "invalid");
});
