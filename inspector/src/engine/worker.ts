/** The worker: the engine runs here, so that the page never waits for it. */
import { jobs } from "./jobs";

self.onmessage = async ({ data }: MessageEvent<{ id: number; job: keyof typeof jobs; args: unknown[] }>) => {
  const { id, job, args } = data;
  try {
    const value = await (jobs[job] as (...args: unknown[]) => unknown)(...args);
    self.postMessage({ id, value });
  } catch (error) {
    self.postMessage({ id, error: (error as Error).message });
  }
};
