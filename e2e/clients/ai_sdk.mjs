// The AI SDK with its providers: openai-compatible and openai (Chat Completions), anthropic (Messages), openai (Responses).
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, jsonSchema, streamText, tool } from 'ai';
import { QUESTION, run } from './driver.mjs';

globalThis.AI_SDK_LOG_WARNINGS = false;
const settings = (job) => ({ baseURL: `${job.base_url}/v1`, apiKey: 'none' });
const MODELS = {
  'ai-openai-compatible': (job) => createOpenAICompatible({ name: 'scripted', ...settings(job) })(job.model),
  'ai-openai-chat': (job) => createOpenAI(settings(job)).chat(job.model),
  'ai-openai': (job) => createOpenAI(settings(job)).responses(job.model),
  'ai-anthropic': (job) => createAnthropic(settings(job))(job.model),
};
const FINISH = { 'tool-calls': 'tool_calls' };

async function ask(job, messages = [{ role: 'user', content: QUESTION }]) {
  const tools = Object.fromEntries(job.tools.map(({ function: { name, description, parameters } }) =>
    [name, tool({ description, inputSchema: jsonSchema(parameters) })]));
  const request = { model: MODELS[job.client](job), messages, tools, maxRetries: 0, maxOutputTokens: 1000 };
  // Unless told so, this provider refers to earlier items by their ids only, which takes a server that remembers them; or
  // toolglot, before one of another protocol.
  if (job.client === 'ai-openai' && !job.remembers) request.providerOptions = { openai: { store: false } };
  const answer = job.stream ? await streamed(request) : await generateText(request);
  const [calls, text, finish, response] = await Promise.all([answer.toolCalls, answer.text, answer.finishReason, answer.response]);
  const invalid = calls.find((call) => call.invalid);
  if (invalid) throw new Error(`the call is invalid: ${invalid.error?.message ?? JSON.stringify(invalid)}`);
  return {
    calls: calls.map((call) => ({ id: call.toolCallId, name: call.toolName, arguments: call.input })),
    text,
    finish: FINISH[finish] ?? finish,
    state: [...messages, ...response.messages],
  };
}

async function streamed(request) {
  let failed;
  const answer = streamText({ ...request, onError: ({ error }) => { failed ??= error; } });
  await answer.consumeStream();
  if (failed) throw failed;
  return answer;
}

const tell = (job, state, results) => ask(job, [...state, {
  role: 'tool',
  content: results.map(({ id, name, result }) =>
    ({ type: 'tool-result', toolCallId: id, toolName: name, output: { type: 'text', value: result } })),
}]);

await run(ask, tell);
