/** The worker: the engine runs here, so that the page never waits for it. A view may ask before the module is compiled: all jobs wait for that. */
import { jobs } from "./jobs";

let begin!: (engine: unknown) => void;
const engine = new Promise<unknown>((resolve) => (begin = resolve));
engine.catch(() => {});

self.onmessage = async ({ data }: MessageEvent<{ id: number; job: keyof typeof jobs; args: unknown[] }>) => {
  const { id, job, args } = data;
  try {
    if (job !== "start") await engine;
    const value = (jobs[job] as (...args: unknown[]) => unknown)(...args);
    if (job === "start") begin(value);
    self.postMessage({ id, value: await value });
  } catch (error) {
    self.postMessage({ id, error: (error as Error).message });
  }
};
