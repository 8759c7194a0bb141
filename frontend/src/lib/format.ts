/** Numbers as a person reads them: three significant digits and a unit. */

/** Three significant digits without an exponent. */
export function digits(value: number): string {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.floor(Math.log10(Math.abs(value)));
  const fixed = value.toFixed(Math.min(6, Math.max(0, 2 - size)));
  return group(fixed);
}

/** An integer with a thin space between thousands. */
export function group(text: string | number): string {
  const [whole = "", fraction] = String(text).split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, "\u2009");
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

function scaled(value: number, units: readonly (readonly [number, string])[]): string {
  const found = units.find(([size]) => Math.abs(value) >= size) ?? units[units.length - 1];
  const [size, unit] = found ?? [1, ""];
  return `${digits(value / size)}\u00a0${unit}`;
}

const TIMES = [
  [1e6, "s"],
  [1e3, "ms"],
  [1, "µs"],
  [1e-3, "ns"],
] as const;

const BYTES = [
  [2 ** 30, "GiB"],
  [2 ** 20, "MiB"],
  [2 ** 10, "KiB"],
  [1, "B"],
] as const;

const COUNTS = [
  [1e12, "T"],
  [1e9, "G"],
  [1e6, "M"],
  [1e3, "k"],
  [1, ""],
] as const;

export const microseconds = (us: number): string => (us === 0 ? "0" : scaled(us, TIMES));

export const milliseconds = (ms: number): string => microseconds(ms * 1000);

export const bytes = (n: number): string => (n === 0 ? "0" : scaled(n, BYTES));

export const count = (n: number): string => (n === 0 ? "0" : scaled(n, COUNTS).trim());

/** A ratio of times: 1.53×. */
export function times(ratio: number): string {
  return `${ratio >= 100 ? ratio.toFixed(0) : ratio >= 10 ? ratio.toFixed(1) : ratio.toFixed(2)}×`;
}

/** An error: 1.2e-7, or 0; null is one that is no number. */
export function scientific(value: number | null): string {
  if (value === null) return "not finite";
  if (value === 0) return "0";
  return value.toExponential(1);
}

/** A larger one is no error of anything: it was divided by the smallest number, for the exact result is
 * 0. */
const OF_NOTHING = 1e200;

export const isOfNothing = (relative: number | null): boolean => (relative ?? 0) > OF_NOTHING;

/** An error relative to the exact result. */
export const relativeError = (value: number | null): string =>
  isOfNothing(value) ? "exact is 0" : scientific(value);

export function percent(share: number): string {
  return `${Math.round(share * 100)}\u00a0%`;
}

/** "1 kernel", "3 launches". */
export function plural(n: number, noun: string): string {
  const ending = /(ch|s|x)$/.test(noun) ? "es" : "s";
  return `${group(n)} ${noun}${n === 1 ? "" : ending}`;
}

/** Words in the order in which they first come, with how often: "add ×2, tanh". */
export function repeats(words: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].map(([word, n]) => (n > 1 ? `${word}\u00a0×${n}` : word)).join(", ");
}

/** A day as the reader writes it: 23 Nov 2026. */
export const dayOf = (date: Date): string =>
  date.toLocaleDateString(undefined, { dateStyle: "medium" });
