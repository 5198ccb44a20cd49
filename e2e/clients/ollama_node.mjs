// The Ollama SDK for Node. Its calls have no ids: their places stand for them.
import { Ollama } from 'ollama';
import { QUESTION, run } from './driver.mjs';

async function askChat(job, messages) {
  const request = { model: job.model, messages, tools: job.tools, stream: job.stream };
  const answer = await new Ollama({ host: job.base_url }).chat(request);
  const parts = [];
  if (job.stream) for await (const part of answer) parts.push(part);
  else parts.push(answer);
  const text = parts.map((part) => part.message.content ?? '').join('');
  const made = parts.flatMap((part) => part.message.tool_calls ?? []);
  const calls = made.map(({ function: { name, arguments: given } }, at) => ({ id: `${at}`, name, arguments: given }));
  const finish = calls.length > 0 ? 'tool_calls' : parts.at(-1).done_reason;
  return { calls, text, finish, state: [...messages, { role: 'assistant', content: text, tool_calls: made }] };
}

const ask = (job) => askChat(job, [{ role: 'user', content: QUESTION }]);

const tell = (job, state, results) => askChat(job, [
  ...state,
  ...results.map(({ name, result }) => ({ role: 'tool', tool_name: name, content: result })),
]);

await run(ask, tell);
