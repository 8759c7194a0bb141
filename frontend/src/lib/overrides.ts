/** What a person decides in the compiler's stead: lists of overrides, compared, and in an address. */
import type { Options } from "../wire";

export type Override = Options["overrides"][number];

export const isSame = (a: Override, b: Override): boolean => written(a) === written(b);

/** Whether both lists have the same, in whatever order. */
export const areSame = (a: readonly Override[], b: readonly Override[]): boolean =>
  a.length === b.length && a.every((each) => b.some((other) => isSame(each, other)));

const written = (override: Override): string =>
  JSON.stringify(Object.entries(override).toSorted(([a], [b]) => (a < b ? -1 : 1)));

/** As an address has them: JSON, for there are few. */
export const asText = (overrides: readonly Override[]): string => JSON.stringify(overrides);

const TYPES: readonly Override["type"][] = ["without", "forbid", "force", "schedule"];

/** Null for what is none: an address may have been cut. */
export function fromText(text: string | null): Override[] | null {
  if (text === null) return null;
  try {
    const found = JSON.parse(text) as Override[];
    return Array.isArray(found) && found.every(({ type }) => TYPES.includes(type)) ? found : null;
  } catch {
    return null;
  }
}
