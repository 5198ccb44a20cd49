/** Binary search in ordered lists. */

/** Returns the first index whose entry does not lie before, as `before` says; the length if all do. */
export function firstNot(length: number, before: (index: number) => boolean): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (before(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
