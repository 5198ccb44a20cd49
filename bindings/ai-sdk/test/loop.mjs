// The same tests for each version of the SDK: its own loop, its own mocks, a model that writes calls as text.
import assert from "node:assert/strict";
import { test } from "node:test";

import { z } from "zod";

const usageOf6 = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};
const finishOf6 = (unified) => ({ unified, raw: unified });

const call = (city) => `<tool_call>\n{"name": "get_weather", "arguments": {"city": "${city}", "days": "3"}}\n</tool_call>`;

/** Runs the tests with a version of the SDK. */
export function testLoop({ name, sdk, Model, simulateReadableStream, middleware, repairOption, repairToolCall, finish = finishOf6, usage = usageOf6 }) {
  const { generateText, streamText, tool, stepCountIs, wrapLanguageModel } = sdk;

  function partsOf(text, size, unified = "stop") {
    const deltas = text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
    return [
      { type: "stream-start", warnings: [] },
      { type: "text-start", id: "t" },
      ...deltas.map((delta) => ({ type: "text-delta", id: "t", delta })),
      { type: "text-end", id: "t" },
      { type: "finish", finishReason: finish(unified), usage },
    ];
  }

  /** A model that says one text after the other, and notes what it was asked. */
  function scripted(texts, { size = 5, unified = "stop" } = {}) {
    const asked = [];
    const next = (options) => {
      asked.push(options);
      return texts[Math.min(asked.length, texts.length) - 1];
    };
    const model = new Model({
      doStream: async (options) => ({ stream: simulateReadableStream({ chunks: partsOf(next(options), size, unified), chunkDelayInMs: null, initialDelayInMs: null }) }),
      doGenerate: async (options) => ({
        content: [{ type: "text", text: next(options) }],
        finishReason: finish(unified),
        usage,
        warnings: [],
      }),
    });
    return { model, asked };
  }

  const cities = [];
  const tools = {
    get_weather: tool({
      description: "Weather",
      inputSchema: z.object({ city: z.string(), days: z.number().int() }),
      execute: async ({ city, days }) => (cities.push([city, days]), { city, sunny: true }),
    }),
  };
  const wrap = (model, options) => wrapLanguageModel({ model, middleware: middleware(options) });

  /** Every block that starts ends, before another starts; calls come behind their input. */
  function checkOrder(parts) {
    let open;
    const inputs = new Map();
    const ids = new Set();
    for (const part of parts) {
      // SDK 5 leaves the provider's ids as they are, and each step has its own.
      if (part.type === "start-step") ids.clear();
      const [, type, what] = /^(text|reasoning|tool-input)-(start|delta|end)$/.exec(part.type) ?? [];
      if (what === "start") {
        assert.equal(open, undefined, `${part.id} starts while ${open} is open`);
        assert.ok(!ids.has(part.id), `${part.id} starts twice`);
        ids.add(part.id);
        open = part.id;
        if (type === "tool-input") inputs.set(part.id, "");
      }
      if (what === "delta") {
        assert.equal(open, part.id);
        const text = part.text ?? part.delta;
        assert.notEqual(text, "");
        if (type === "tool-input") inputs.set(part.id, inputs.get(part.id) + text);
      }
      if (what === "end") {
        assert.equal(open, part.id);
        open = undefined;
      }
      if (part.type === "tool-call") {
        assert.ok(inputs.has(part.toolCallId));
        assert.deepEqual(part.input, JSON.parse(inputs.get(part.toolCallId)));
      }
      if (part.type === "finish-step") assert.equal(open, undefined);
    }
  }

  for (const size of [1, 7, 1000])
    test(`${name}: streamText runs the tools of text in pieces of ${size}`, async () => {
      cities.length = 0;
      const { model, asked } = scripted([`Let me look.\n${call("Oslo")}\n${call("Rome")}`, "Sunny in both."], { size });
      const result = streamText({ model: wrap(model), tools, prompt: "?", stopWhen: stepCountIs(3) });
      const parts = [];
      for await (const part of result.fullStream) parts.push(part);
      assert.deepEqual(parts.filter((part) => part.type === "error"), []);
      checkOrder(parts);
      assert.deepEqual(cities.sort(), [["Oslo", 3], ["Rome", 3]]);
      assert.equal(await result.text, "Sunny in both.");
      const steps = await result.steps;
      assert.equal(steps.length, 2);
      assert.equal(steps[0].finishReason, "tool-calls");
      assert.equal(steps[0].text.trim(), "Let me look.");
      const results = asked[1].prompt.at(-1).content;
      assert.deepEqual(results.map((part) => part.type), ["tool-result", "tool-result"]);
    });

  test(`${name}: generateText runs them too`, async () => {
    cities.length = 0;
    const { model } = scripted([`Let me look.\n${call("Oslo")}`, "Sunny."]);
    const result = await generateText({ model: wrap(model), tools, prompt: "?", stopWhen: stepCountIs(3) });
    assert.deepEqual(cities, [["Oslo", 3]]);
    assert.equal(result.text, "Sunny.");
    assert.equal(result.steps[0].text.trim(), "Let me look.");
  });

  test(`${name}: a call that a limit cut is none, and its text is not lost`, async () => {
    cities.length = 0;
    const cut = call("Oslo").slice(0, 60);
    const { model } = scripted([cut], { unified: "length" });
    const result = streamText({ model: wrap(model), tools, prompt: "?" });
    const parts = [];
    for await (const part of result.fullStream) parts.push(part);
    checkOrder(parts);
    assert.deepEqual(cities, []);
    assert.equal(await result.finishReason, "length");
    assert.equal(await result.text, cut);
  });

  test(`${name}: nothing runs of a call that ends anywhere but at its end`, async () => {
    cities.length = 0;
    const whole = call("Oslo");
    const [object, closer] = [whole.indexOf("\n</tool_call>"), whole.indexOf("</tool_call>")];
    for (let end = 1; end <= closer; end++) {
      for (const unified of ["length", "stop", "tool-calls"]) {
        // Without a limit, brackets and closers that are missing are added.
        if (unified !== "length" && end >= object - 1) continue;
        const { model } = scripted([whole.slice(0, end)], { unified });
        const result = streamText({ model: wrap(model), tools, prompt: "?" });
        for await (const part of result.fullStream) assert.notEqual(part.type, "tool-call", `${unified} ${end}`);
      }
    }
    assert.deepEqual(cities, []);
  });

  test(`${name}: nothing runs of a native call that a limit cut off`, async () => {
    cities.length = 0;
    const xml = "<parameter=city>Oslo</parameter><parameter=days>3</parameter>";
    for (const input of ['{"city":"Oslo","days":', '{"city":"Oslo","days":3', '{"city":"Os', xml, "<parameter=city>Oslo"]) {
      const native = { type: "tool-call", toolCallId: "a", toolName: "get_weather", input };
      const end = { finishReason: finish("length"), usage };
      const chunks = [{ type: "stream-start", warnings: [] }, native, { type: "finish", ...end }];
      const model = new Model({
        doStream: async () => ({ stream: simulateReadableStream({ chunks, chunkDelayInMs: null, initialDelayInMs: null }) }),
        doGenerate: async () => ({ content: [native], ...end, warnings: [] }),
      });
      const streamed = streamText({ model: wrap(model), tools, prompt: "?" });
      for await (const part of streamed.fullStream) if (part.type === "tool-call") assert.ok(part.invalid, input);
      for (const made of (await generateText({ model: wrap(model), tools, prompt: "?" })).toolCalls) assert.ok(made.invalid, input);
    }
    assert.deepEqual(cities, []);
  });

  test(`${name}: without tools nothing changes`, async () => {
    const { model } = scripted([call("Oslo")]);
    const result = streamText({ model: wrap(model), prompt: "?" });
    assert.equal(await result.text, call("Oslo"));
    assert.equal(await result.finishReason, "stop");
  });

  test(`${name}: reasoning in the text is reasoning`, async () => {
    const { model } = scripted([`<think>\nOslo, then.\n</think>\n${call("Oslo")}`, "Sunny."]);
    const result = streamText({ model: wrap(model), tools, prompt: "?", stopWhen: stepCountIs(2) });
    const steps = await result.steps;
    assert.match(steps[0].reasoningText ?? "", /Oslo, then/);
    assert.equal(steps[0].text.trim(), "");
    assert.equal(steps[0].toolCalls.length, 1);
  });

  test(`${name}: native calls pass, and broken ones are repaired`, async () => {
    cities.length = 0;
    const input = '<tool_call><function=get_weather><parameter=city>Oslo</parameter><parameter=days>3</parameter></function></tool_call>';
    const chunks = [
      { type: "stream-start", warnings: [] },
      { type: "tool-call", toolCallId: "a", toolName: "get_weather", input },
      { type: "tool-call", toolCallId: "b", toolName: "get_weather", input: '{"city":"Rome","days":1}' },
      { type: "finish", finishReason: finish("tool-calls"), usage },
    ];
    const model = new Model({ doStream: async () => ({ stream: simulateReadableStream({ chunks, chunkDelayInMs: null, initialDelayInMs: null }) }) });
    const result = streamText({ model: wrap(model), tools, prompt: "?" });
    await result.consumeStream();
    assert.deepEqual(cities.sort(), [["Oslo", 3], ["Rome", 1]]);
  });

  test(`${name}: repairToolCall mends arguments without the middleware`, async () => {
    cities.length = 0;
    const content = [{ type: "tool-call", toolCallId: "a", toolName: "get_weather", input: "{'city': 'Oslo', 'days': '3',}" }];
    const model = new Model({ doGenerate: async () => ({ content, finishReason: finish("tool-calls"), usage, warnings: [] }) });
    await generateText({ model, tools, prompt: "?", [repairOption]: repairToolCall() });
    assert.deepEqual(cities, [["Oslo", 3]]);
  });

  for (const dialect of ["hermes", "qwen3_coder", "mistral_v11"])
    test(`${name}: with the tools in the prompt the provider sees none, in ${dialect}`, async () => {
      cities.length = 0;
      const { Renderer } = await import("toolglot");
      const text = new Renderer(dialect).render({ calls: [{ name: "get_weather", arguments: { city: "Oslo", days: 3 } }] });
      const { model, asked } = scripted([text, "Sunny."]);
      const result = streamText({
        model: wrap(model, { dialects: dialect, prompt: true }),
        tools, system: "Be brief.", prompt: "?", stopWhen: stepCountIs(3), toolChoice: "auto",
      });
      assert.equal(await result.text, "Sunny.");
      assert.deepEqual(cities, [["Oslo", 3]]);
      for (const { tools, toolChoice } of asked) assert.deepEqual([tools, toolChoice], [undefined, undefined]);
      const [first, second] = asked.map(({ prompt }) => prompt);
      assert.match(first[0].content, /^Be brief\.[^]*get_weather[^]*tool_name/);
      assert.deepEqual(second.map(({ role }) => role), ["system", "user", "assistant", "user"]);
      assert.equal(second[2].content[0].text, text);
      assert.match(second[3].content[0].text, /"sunny":true/);
    });
}
