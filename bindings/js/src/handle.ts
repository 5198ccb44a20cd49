/** A handle that is freed by hand, or when nobody has it any more. */

import { ToolglotError, type Engine } from "./engine.js";

/** Some platforms do not say what is gone, such as Cloudflare's older Workers; what nobody frees ends with the instance. */
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
    if (this.#value === 0) throw new ToolglotError("invalid", "it was freed; make a new one");
    return this.#value;
  }

  release(): void {
    if (this.#value !== 0 && !this.home.broken) this.home.call(this.free, this.#value);
    this.#value = 0;
    gone?.unregister(this);
  }
}
