// The provider between the SDK's own loop and a server that writes calls as text, over real HTTP.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";

import { stepCountIs, streamText, tool } from "ai";
import { z } from "zod";

import { createToolglot } from "@toolglot/ai-sdk/provider";

const said = ['Let me look.\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>', "Sunny."];

const half = '{"city":"Os';
const native = [
  { tool_calls: [{ index: 0, id: "a", type: "function", function: { name: "get_weather", arguments: "" } }] },
  { tool_calls: [{ index: 0, function: { arguments: half } }] },
];
const written = [{ content: "<tool_call>\n" }, { content: `{"name": "get_weather", "arguments": ${half}` }];

for (const [what, deltas] of Object.entries({ native, written }))
  for (const reason of ["length", "stop", "tool_calls"])
    test(`nothing runs of a ${what} call that ends in the middle with ${reason}`, async () => {
      const chunk = (delta, finish_reason = null) =>
        `data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
      const body = [...deltas.map((delta) => chunk(delta)), chunk({}, reason), "data: [DONE]\n\n"].join("");
      const fetch = async () => new Response(body, { headers: { "content-type": "text/event-stream" } });
      const provider = createToolglot({ baseURL: "http://nowhere/v1", fetch });
      const [cities, errors, calls] = [[], [], []];
      const tools = {
        get_weather: tool({ inputSchema: z.object({ city: z.string() }), execute: async ({ city }) => (cities.push(city), "sunny") }),
      };
      const result = streamText({ model: provider("m"), tools, prompt: "?", onError: ({ error }) => errors.push(error) });
      for await (const part of result.fullStream) if (part.type === "tool-call" && !part.invalid) calls.push(part);
      assert.deepEqual([cities, calls], [[], []]);
      assert.equal(errors.length > 0, reason !== "length");
      if (reason === "length") assert.equal(await result.finishReason, "length");
    });

test("a server that writes calls as text has native ones", async () => {
  const asked = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const part of request) body += part;
    asked.push(JSON.parse(body));
    response.writeHead(200, { "content-type": "text/event-stream" });
    const send = (delta, finish_reason = null) =>
      response.write(`data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason }] })}\n\n`);
    for (const content of said[asked.length - 1].match(/[^]{1,3}/g)) send({ content });
    send({}, "stop");
    response.end("data: [DONE]\n\n");
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  try {
    const provider = createToolglot({ baseURL: `http://127.0.0.1:${server.address().port}/v1` });
    const cities = [];
    const tools = {
      get_weather: tool({ inputSchema: z.object({ city: z.string() }), execute: async ({ city }) => (cities.push(city), "sunny") }),
    };
    const result = streamText({ model: provider("m"), tools, prompt: "?", stopWhen: stepCountIs(3) });
    assert.equal(await result.text, "Sunny.");
    assert.deepEqual(cities, ["Oslo"]);
    assert.deepEqual(asked[1].messages.map(({ role }) => role), ["user", "assistant", "tool"]);
    assert.equal(asked[0].tools[0].function.name, "get_weather");
  } finally {
    server.close();
  }
});
