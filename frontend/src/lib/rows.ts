/**
 * Two texts beside each other, row by row: what both have, what went, what came, and which of these
 * belong together.
 *
 * Lines that only one text has are as few as there can be. Between them, what defines the same value
 * of the IR (`%12 = ...`) stands in one row. What went and came elsewhere is its twin: moved where
 * the line is the same, changed where the value is, renamed where all but the value's name is.
 */
import { inCommon } from "./lcs";

export type How = "changed" | "moved" | "renamed";

/** A line of one of the texts that has a twin in the other. */
export interface Twin {
  how: How;
  /** The twin's line in the other text, from 0. */
  line: number;
}

export interface Row {
  /** Indices of lines; null where a text has none in this row. */
  before: number | null;
  after: number | null;
  /** Whether the lines are equal: one line that both texts have. */
  same: boolean;
}

export interface Aligned {
  rows: readonly Row[];
  /** The twins of lines that went, by their line; and of those that came. */
  before: ReadonlyMap<number, Twin>;
  after: ReadonlyMap<number, Twin>;
}

export function aligned(before: readonly string[], after: readonly string[]): Aligned {
  const rows: Row[] = [];
  let [a, b] = [0, 0];
  for (const [toA, toB] of [...inCommon(before, after), [before.length, after.length] as const]) {
    rows.push(...between(before, after, range(a, toA), range(b, toB)));
    if (toA < before.length) rows.push({ before: toA, after: toB, same: true });
    [a, b] = [toA + 1, toB + 1];
  }
  return { rows, ...twinsOf(rows, before, after) };
}

const range = (from: number, to: number): number[] =>
  Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i);

/** What went and came at one place: the same values beside each other, as many as stand in order. */
function between(
  before: readonly string[],
  after: readonly string[],
  gone: readonly number[],
  came: readonly number[],
): Row[] {
  // What defines nothing is like no other line.
  const names = (lines: readonly string[], at: readonly number[], side: string) =>
    at.map((line) => definedBy(lines[line]!) || `${side} ${line}`);
  const pairs = inCommon(names(before, gone, "gone"), names(after, came, "came"));
  const rows: Row[] = [];
  let [a, b] = [0, 0];
  for (const [toA, toB] of [...pairs, [gone.length, came.length] as const]) {
    for (; a < toA; a++) rows.push({ before: gone[a]!, after: null, same: false });
    for (; b < toB; b++) rows.push({ before: null, after: came[b]!, same: false });
    if (toA < gone.length) rows.push({ before: gone[a++]!, after: came[b++]!, same: false });
  }
  return rows;
}

const DEFINITION = /^\s*(%[\w.]+(?:#\d+)?(?:, %[\w.]+(?:#\d+)?)*) = /;

/** The names that a line of an IR defines; blank where it defines none. */
const definedBy = (line: string): string => DEFINITION.exec(line)?.[1] ?? "";

/** What tells a line from the others of its text, by how it may be known in the other text. */
const KEYS: readonly (readonly [How, (line: string) => string])[] = [
  ["moved", (line) => line.trim()],
  ["changed", definedBy],
  ["renamed", (line) => (definedBy(line) ? line.replace(DEFINITION, "") : "")],
];

function twinsOf(
  rows: readonly Row[],
  before: readonly string[],
  after: readonly string[],
): Pick<Aligned, "before" | "after"> {
  const gone = new Set(rows.flatMap((row) => (row.same ? [] : (row.before ?? []))));
  const came = new Set(rows.flatMap((row) => (row.same ? [] : (row.after ?? []))));
  const found = { before: new Map<number, Twin>(), after: new Map<number, Twin>() };
  const pair = (how: How, from: number, to: number) => {
    found.before.set(from, { how, line: to });
    found.after.set(to, { how, line: from });
    gone.delete(from);
    came.delete(to);
  };
  for (const [how, keyOf] of KEYS) {
    const places = onlyOnes([...came].map((at) => [keyOf(after[at]!), at]));
    const own = onlyOnes([...gone].map((at) => [keyOf(before[at]!), at]));
    for (const [key, from] of own) {
      const to = places.get(key);
      if (key !== "" && to !== undefined) pair(how, from, to);
    }
  }
  return found;
}

/** Those keys that are of one line alone. */
function onlyOnes(entries: readonly (readonly [string, number])[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [key] of entries) counts.set(key, (counts.get(key) ?? 0) + 1);
  return new Map(entries.filter(([key]) => counts.get(key) === 1));
}

const WORD = /%?\w+|\s+|[^\w\s]/g;
/** Longer lines are of data, and nobody reads which word of them changed. */
const MOST_WORDS = 400;

const wordsIn = (line: string): string[] => line.match(WORD) ?? [];

/** Where two lines differ, by whole words: from and to in each, in characters. */
export function differing(
  before: string,
  after: string,
): { before: [number, number][]; after: [number, number][] } {
  const [a, b] = [wordsIn(before), wordsIn(after)];
  if (Math.max(a.length, b.length) > MOST_WORDS) return { before: [], after: [] };
  const pairs = inCommon(a, b);
  return {
    before: others(a, new Set(pairs.map(([at]) => at))),
    after: others(b, new Set(pairs.map(([, at]) => at))),
  };
}

/** The ranges of the words that are not `kept`, those beside each other as one. */
function others(words: readonly string[], kept: ReadonlySet<number>): [number, number][] {
  const found: [number, number][] = [];
  let at = 0;
  words.forEach((word, index) => {
    const end = at + word.length;
    const last = found.at(-1);
    if (!kept.has(index)) {
      if (last?.[1] === at) last[1] = end;
      else found.push([at, end]);
    }
    at = end;
  });
  return found;
}
