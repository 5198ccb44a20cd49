/** Time: the text arrives in pieces, and one sees what had gone out. */
import { useSignal, useSignalEffect } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ask } from "../engine/client";
import { arrived, clock, moment, session } from "../store";
import { readOptions } from "../session";

const SIZES = [1, 4, 16, 64, 256];

/** Texts up to which the proof runs at once. */
const PROVEN = 200_000;

/** How often a playing text gets its next piece, and how many seconds it takes at most. */
const TICK = 60;
const MOST = 10;

export function Time() {
  const playing = useSignal(false);
  const { text } = session.value;
  const { size, pieces } = clock.value;
  const count = Math.ceil(text.length / size);
  const at = pieces ?? count;
  const set = (next: number) => (clock.value = { size, pieces: next >= count ? null : next });
  useSignalEffect(() => {
    if (!playing.value) return;
    const stride = Math.max(1, Math.round((count * TICK) / (MOST * 1000)));
    const timer = setInterval(() => {
      const now = clock.peek().pieces;
      if (now === null || now + stride >= count) playing.value = false;
      set(now === null ? count : now + stride);
    }, TICK);
    return () => clearInterval(timer);
  });
  if (text === "") return null;
  const play = () => {
    if (!playing.value && pieces === null) clock.value = { size, pieces: 0 };
    playing.value = !playing.value;
  };
  return (
    <div class="time" role="group" aria-label="The text as a stream">
      <button type="button" class="play" aria-label={playing.value ? "Pause" : "Play the stream"} onClick={play}>
        <span class={playing.value ? "icon-pause" : "icon-play"} aria-hidden="true" />
      </button>
      <input
        type="range"
        min={0}
        max={count}
        value={at}
        aria-label="Pieces that have arrived"
        aria-valuetext={`${at} of ${count} pieces`}
        onInput={(event) => set(Number(event.currentTarget.value))}
      />
      <label class="size">
        <span>pieces of</span>
        <select
          aria-label="Characters of a piece"
          value={size}
          onChange={(event) => (clock.value = { size: Number(event.currentTarget.value), pieces: pieces === null ? null : 0 })}
        >
          {SIZES.map((it) => (
            <option value={it}>{it}</option>
          ))}
        </select>
      </label>
      <Told />
      <Proof size={size} />
    </div>
  );
}

function Told() {
  const now = moment.value;
  const come = arrived();
  if (come === null || !now) return null;
  const held = now.arrived - now.out;
  return (
    <p class="told">
      {now.arrived} characters in, {now.out} out{held > 0 ? `, ${held} held back until it is clear what they are` : ", nothing held back"}
    </p>
  );
}

/** Reads the text again in pieces, whole, and compares. */
function Proof({ size }: { size: number }) {
  const same = useSignal<boolean | null>(null);
  const now = session.value;
  useEffect(() => {
    same.value = null;
    let here = true;
    const wait = setTimeout(() => {
      if (now.text.length > PROVEN) return;
      void ask("same", now.text, size, readOptions(now)).then((it) => here && (same.value = it), () => {});
    }, 300);
    return () => {
      here = false;
      clearTimeout(wait);
    };
  }, [now, size]);
  if (same.value === null) return null;
  return (
    <p class="proof" data-good={same.value}>
      {same.value ? `Same message in pieces of ${size} as whole` : `In pieces of ${size} it is another message: please report this`}
    </p>
  );
}
