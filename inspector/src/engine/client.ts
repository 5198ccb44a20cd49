/** Asks the worker; each answer comes as a promise. */
import type { Jobs } from "./jobs";

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module", name: "engine" });
const waiting = new Map<number, Waiting>();
let count = 0;

worker.onmessage = ({ data }: MessageEvent<{ id: number; value?: unknown; error?: string }>) => {
  const asked = waiting.get(data.id);
  waiting.delete(data.id);
  if (data.error === undefined) asked?.resolve(data.value);
  else asked?.reject(new Error(data.error));
};

/** Does a job in the worker. */
export function ask<Name extends keyof Jobs>(
  job: Name,
  ...args: Parameters<Jobs[Name]>
): Promise<Awaited<ReturnType<Jobs[Name]>>> {
  const id = count++;
  worker.postMessage({ id, job, args });
  return new Promise((resolve, reject) => waiting.set(id, { resolve: resolve as Waiting["resolve"], reject }));
}

/** Returns a function that does a job for the latest of what it is given; what was overtaken is dropped. */
export function latest<Args extends unknown[], T>(
  run: (...args: Args) => Promise<T>,
  then: (value: T) => void,
  fail: (error: Error) => void = () => {},
): (...args: Args) => void {
  let running = false;
  let next: Args | undefined;
  const go = async (args: Args) => {
    running = true;
    try {
      const value = await run(...args);
      if (!next) then(value);
    } catch (error) {
      if (!next) fail(error as Error);
    }
    running = false;
    const waits = next;
    next = undefined;
    if (waits) void go(waits);
  };
  return (...args) => {
    if (running) next = args;
    else void go(args);
  };
}
