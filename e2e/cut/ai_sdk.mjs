// The AI SDK with tools that run by themselves: what it runs of calls that are not finished. Told on each line of the input what
// to ask for, it says on a line of its own what came of it.
import { createInterface } from 'node:readline';
import { z } from 'zod';

globalThis.AI_SDK_LOG_WARNINGS = false;

async function load(version) {
  const [sdk, compatible, openai, anthropic] = await Promise.all(
    ['ai', 'compatible', 'openai', 'anthropic'].map((name) => import(`${name}-${version}`)));
  return { sdk, models: {
    chat: (at, model) => compatible.createOpenAICompatible({ name: 'scripted', ...at })(model),
    responses: (at, model) => openai.createOpenAI(at).responses(model),
    messages: (at, model) => anthropic.createAnthropic(at)(model),
  } };
}

const loaded = {};
for await (const line of createInterface({ input: process.stdin })) {
  const { version, protocol, base_url, model } = JSON.parse(line);
  const { sdk, models } = await (loaded[version] ??= load(version));
  const said = { ran: 0, calls: 0, invalid: 0, errors: 0, finish: null };
  const bash = sdk.tool({
    description: 'bash',
    inputSchema: z.object({ command: z.string() }),
    execute: async () => (said.ran++, 'done'),
  });
  try {
    const asked = { model: models[protocol]({ baseURL: `${base_url}/v1`, apiKey: 'none' }, model), prompt: 'go', tools: { bash }, maxRetries: 0 };
    for await (const part of sdk.streamText({ ...asked, onError: () => {} }).fullStream) {
      if (part.type === 'tool-call') part.invalid ? said.invalid++ : said.calls++;
      if (part.type === 'error') said.errors++;
      if (part.type === 'finish') said.finish = part.finishReason;
    }
  } catch (error) {
    said.errors++;
    said.thrown = String(error).slice(0, 300);
  }
  console.log(JSON.stringify(said));
}
