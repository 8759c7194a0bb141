/**
 * The lines that two texts have in common: a longest common subsequence, exact however far the texts
 * differ.
 *
 * Hirschberg's division ("A linear space algorithm for computing maximal common subsequences", 1975)
 * with Hyyrö's bit-parallel lengths ("Bit-parallel LCS-length computation revisited", 2004): 32 lines
 * of one text are compared with a line of the other at a time, so that two texts of 50,000 lines take
 * a fraction of a second. The report counts changed lines by the same measure.
 */

/** Indices of the lines in common, as pairs in both texts' order. */
export type Pair = readonly [before: number, after: number];

/** The most lines, from 0, that `before` and `after` have in common in one order. */
export function inCommon(before: readonly string[], after: readonly string[]): Pair[] {
  const start = equalFrom(before.length, after.length, (i) => before[i] === after[i]);
  const room = Math.min(before.length, after.length) - start;
  const end = equalFrom(room, room, (i) => before.at(-1 - i) === after.at(-1 - i));
  const [old, now] = numbered(
    before.slice(start, before.length - end),
    after.slice(start, after.length - end),
  );
  const found: Pair[] = [];
  common(old.ids, now.ids, 0, 0, found);
  const inside = found.map(([a, b]): Pair => [start + old.places[a]!, start + now.places[b]!]);
  const both = (count: number, from: (i: number) => Pair) =>
    Array.from({ length: count }, (_, i) => from(i));
  return [
    ...both(start, (i) => [i, i]),
    ...inside,
    ...both(end, (i) => [before.length - end + i, after.length - end + i]),
  ];
}

interface Numbered {
  ids: Int32Array;
  /** Where the lines stood. */
  places: number[];
}

/** The lines that both have, equal ones under one number; what only one has is in no common part. */
function numbered(before: readonly string[], after: readonly string[]): [Numbered, Numbered] {
  const others = new Set(after);
  const ids = new Map<string, number>();
  for (const line of before) if (others.has(line) && !ids.has(line)) ids.set(line, ids.size);
  const of = (lines: readonly string[]): Numbered => {
    const places = lines.flatMap((line, at) => (ids.has(line) ? at : []));
    return { ids: Int32Array.from(places, (at) => ids.get(lines[at]!)!), places };
  };
  return [of(before), of(after)];
}

function equalFrom(m: number, n: number, isEqual: (at: number) => boolean): number {
  const end = Math.min(m, n);
  let at = 0;
  while (at < end && isEqual(at)) at += 1;
  return at;
}

/** Adds the pairs of `a` and `b` to `found`; they begin at `fromA` and `fromB` of the whole. */
function common(a: Int32Array, b: Int32Array, fromA: number, fromB: number, found: Pair[]): void {
  const start = equalFrom(a.length, b.length, (i) => a[i] === b[i]);
  for (let i = 0; i < start; i++) found.push([fromA + i, fromB + i]);
  const room = Math.min(a.length, b.length) - start;
  const end = equalFrom(room, room, (i) => a[a.length - 1 - i] === b[b.length - 1 - i]);
  divided(
    a.subarray(start, a.length - end),
    b.subarray(start, b.length - end),
    fromA + start,
    fromB + start,
    found,
  );
  for (let i = end; i > 0; i--) found.push([fromA + a.length - i, fromB + b.length - i]);
}

function divided(a: Int32Array, b: Int32Array, fromA: number, fromB: number, found: Pair[]): void {
  if (a.length === 0 || b.length === 0) return;
  if (b.length === 1) {
    const at = a.indexOf(b[0]!);
    if (at >= 0) found.push([fromA + at, fromB]);
    return;
  }
  const half = b.length >> 1;
  const head = lengths(a, b.subarray(0, half));
  const tail = lengths(a.toReversed(), b.subarray(half).toReversed());
  let cut = 0;
  for (let at = 1; at <= a.length; at++)
    if (head[at]! + tail[a.length - at]! > head[cut]! + tail[a.length - cut]!) cut = at;
  common(a.subarray(0, cut), b.subarray(0, half), fromA, fromB, found);
  common(a.subarray(cut), b.subarray(half), fromA + cut, fromB + half, found);
}

const FULL = 0xffffffff;

/** For each beginning of `a` the length of what it has in common with all of `b`. */
function lengths(a: Int32Array, b: Int32Array): Int32Array {
  const found = new Int32Array(a.length + 1);
  const places = new Int32Array(Math.max(...[a, b].map(largest)) + 1);
  const carry = new Uint8Array(b.length);
  for (let from = 0; from < a.length; from += 32) {
    const end = Math.min(from + 32, a.length);
    for (let at = from; at < end; at++) places[a[at]!]! |= 1 << (at - from);
    // A zero bit stands for each line where the length grows by one.
    let row = FULL;
    for (let at = 0; at < b.length; at++) {
      const met = places[b[at]!]!;
      const sum = row + ((row & met) >>> 0) + carry[at]!;
      carry[at] = sum > FULL ? 1 : 0;
      row = (sum | (row & ~met)) >>> 0;
    }
    for (let at = from; at < end; at++) {
      found[at + 1] = found[at]! + (((row >>> (at - from)) & 1) ^ 1);
      places[a[at]!] = 0;
    }
  }
  return found;
}

const largest = (ids: Int32Array): number => ids.reduce((most, id) => Math.max(most, id), 0);
