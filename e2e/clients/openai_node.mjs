// The OpenAI SDK for Node: Chat Completions and Responses.
import OpenAI from 'openai';
import { QUESTION, argumentsOf, run } from './driver.mjs';

const client = (job) => new OpenAI({ baseURL: `${job.base_url}/v1`, apiKey: 'none', maxRetries: 0, timeout: 20_000 });
const FINISH = { completed: 'stop', incomplete: 'length' };

async function askChat(job, messages) {
  const request = { model: job.model, messages, tools: job.tools };
  const chat = client(job).chat.completions;
  const completion = job.stream ? await chat.stream(request).finalChatCompletion() : await chat.create(request);
  const { message, finish_reason: finish } = completion.choices[0];
  const calls = (message.tool_calls ?? []).map((call) => {
    if (call.type !== 'function') throw new TypeError(`the type of a call is ${call.type}`);
    return { id: call.id, name: call.function.name, arguments: argumentsOf(call.function.arguments) };
  });
  return { calls, text: message.content ?? '', finish, state: [...messages, message] };
}

async function askResponses(job, items) {
  const tools = job.tools.map((tool) => ({ type: 'function', strict: false, ...tool.function }));
  const request = { model: job.model, input: items, tools, store: false };
  const { responses } = client(job);
  const response = job.stream ? await responses.stream(request).finalResponse() : await responses.create(request);
  const calls = response.output
    .filter((item) => item.type === 'function_call')
    .map((item) => ({ id: item.call_id, name: item.name, arguments: argumentsOf(item.arguments) }));
  const finish = calls.length > 0 ? 'tool_calls' : FINISH[response.status] ?? response.status;
  // Parsed arguments are the SDK's own; a server must not get them.
  const output = response.output.map(({ parsed_arguments, ...item }) => item);
  return { calls, text: response.output_text ?? textOf(response), finish, state: [...items, ...output] };
}

const textOf = (response) => response.output
  .filter((item) => item.type === 'message')
  .flatMap((item) => item.content.map((part) => part.text ?? ''))
  .join('');

const ask = (job) => (job.protocol === 'chat' ? askChat : askResponses)(job, [{ role: 'user', content: QUESTION }]);

const tell = (job, state, results) => (job.protocol === 'chat'
  ? askChat(job, [...state, ...results.map(({ id, result }) => ({ role: 'tool', tool_call_id: id, content: result }))])
  : askResponses(job, [...state, ...results.map(({ id, result }) => ({ type: 'function_call_output', call_id: id, output: result }))]));

await run(ask, tell);
