// The Anthropic SDK for Node: Messages.
import Anthropic from '@anthropic-ai/sdk';
import { QUESTION, run } from './driver.mjs';

const client = (job) => new Anthropic({ baseURL: job.base_url, apiKey: 'none', maxRetries: 0, timeout: 20_000 });
const FINISH = { tool_use: 'tool_calls', end_turn: 'stop', max_tokens: 'length' };

async function ask(job, messages = [{ role: 'user', content: QUESTION }]) {
  const tools = job.tools.map(({ function: { name, description, parameters } }) => ({ name, description, input_schema: parameters }));
  const request = { model: job.model, max_tokens: 1000, messages, tools };
  const api = client(job).messages;
  const message = job.stream ? await api.stream(request).finalMessage() : await api.create(request);
  const calls = message.content.filter((block) => block.type === 'tool_use').map((block) => {
    if (block.input === null || typeof block.input !== 'object') throw new TypeError(`the input is ${JSON.stringify(block.input)}`);
    return { id: block.id, name: block.name, arguments: block.input };
  });
  const text = message.content.filter((block) => block.type === 'text').map((block) => block.text).join('');
  const state = [...messages, { role: 'assistant', content: message.content }];
  return { calls, text, finish: FINISH[message.stop_reason] ?? message.stop_reason, state };
}

const tell = (job, state, results) => ask(job, [...state, {
  role: 'user',
  content: results.map(({ id, result }) => ({ type: 'tool_result', tool_use_id: id, content: result })),
}]);

await run(ask, tell);
