/** A handle that is freed explicitly or when it is garbage-collected. */

import { ToolglotError, type Engine } from "./engine.js";

/** Some platforms have no `FinalizationRegistry`, such as older Cloudflare Workers; handles then live as long as the instance. */
const gone =
  typeof FinalizationRegistry === "undefined"
    ? undefined
    : new FinalizationRegistry<[Engine, string, number]>(([home, free, handle]) => {
        if (!home.broken) home.call(free, handle);
      });

export class Handle {
  #value: number;

  constructor(
    readonly home: Engine,
    readonly free: string,
    value: number,
  ) {
    this.#value = value;
    gone?.register(this, [home, free, value], this);
  }

  get value(): number {
    if (this.#value === 0) throw new ToolglotError("invalid", "the object was freed; create a new one");
    return this.#value;
  }

  release(): void {
    if (this.#value !== 0 && !this.home.broken) this.home.call(this.free, this.#value);
    this.#value = 0;
    gone?.unregister(this);
  }
}
