// The face that all Node clients have; driver.py says what jobs and lines look like.
import { createInterface } from 'node:readline';

export const QUESTION = 'What is the weather?';
const RESULT = 'sunny';

export async function run(ask, tell) {
  for await (const line of createInterface({ input: process.stdin })) {
    const job = JSON.parse(line);
    const said = { id: job.id, calls: [], text: '', finish: null, error: null, after: null };
    try {
      const { state, ...answer } = await withinTime(ask(job));
      Object.assign(said, answer);
      const results = answer.calls.map((call) => ({ ...call, result: RESULT }));
      if (results.length > 0) said.after = await follow(tell, job, state, results);
    } catch (error) {
      said.error = describe(error);
    }
    console.log(JSON.stringify(said, (_, value) => (value === undefined ? null : value)));
  }
}

async function follow(tell, job, state, results) {
  try {
    const { text, finish } = await withinTime(tell(job, state, results));
    return { text, finish, error: null };
  } catch (error) {
    return { text: '', finish: null, error: describe(error) };
  }
}

function withinTime(promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error('no answer within 20 s')), 20_000);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

function describe(error) {
  const cause = error?.cause ? ` (${error.cause?.message ?? error.cause})` : '';
  return `${error?.name ?? 'Error'}: ${error?.message ?? JSON.stringify(error)}${cause}`.slice(0, 400);
}

// Arguments as a user of an SDK reads them.
export function argumentsOf(text) {
  if (typeof text !== 'string') throw new TypeError(`the arguments are ${JSON.stringify(text)}, not a text`);
  return JSON.parse(text);
}

// Some SDKs throw from a callback, out of reach of the one who asked.
process.on('uncaughtException', (error) => console.error('uncaught', describe(error)));
process.on('unhandledRejection', (error) => console.error('unhandled', describe(error)));
