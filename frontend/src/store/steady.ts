/** What is computed of a report that grows by the event, for whatever is costly to draw again. */
import { computed, type ReadonlySignal } from "@preact/signals";

/** A computed value that stays the very same object for as long as it says the same. */
export function steady<T>(compute: () => T): ReadonlySignal<T> {
  let last: { written: string; value: T } | null = null;
  return computed(() => {
    const value = compute();
    const written = JSON.stringify(value);
    if (last?.written !== written) last = { written, value };
    return last.value;
  });
}

/** A computed object that stays the very same one for as long as each of its fields does. */
export function alike<T extends object>(compute: () => T | null): ReadonlySignal<T | null> {
  let last: T | null = null;
  return computed(() => {
    const value = compute();
    if (last === null || value === null || !areAlike(last, value)) last = value;
    return last;
  });
}

const areAlike = <T extends object>(a: T, b: T): boolean =>
  (Object.keys({ ...a, ...b }) as (keyof T)[]).every((field) => a[field] === b[field]);
