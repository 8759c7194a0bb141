/** What a text view draws: the lines of one text, or those of two that are compared, in one column or
 * as one of two. */
import { aligned, differing, type Aligned, type Row, type Twin } from "../lib/rows";

export type Side = "before" | "after";

/** A line of the sheet: a line of one of the texts. */
export interface SheetLine {
  side: Side;
  /** From 1, in its own text. */
  line: number;
  /** Both texts have it. */
  same: boolean;
  twin: Twin | null;
  /** What of it differs from its twin, as ranges of characters. */
  words: readonly (readonly [number, number])[];
}

export interface Sheet {
  text: string;
  /** By the sheet's own lines, from 0; null where it is blank because the other column has one. */
  lines: readonly (SheetLine | null)[];
  /** What nobody need read: of two texts what both have, of one its declarations. */
  folds: readonly Folded[];
}

export interface Folded {
  /** Rows, from 0. */
  first: number;
  last: number;
  /** What the lines are, as in "12 unchanged lines". */
  what: string;
}

/** Unchanged lines that stay in sight around what changed, and the fewest that are worth a fold. */
const MARGIN = 4;
const LEAST = 8;

/** Lines that say nothing of what is computed, by language. */
const DECLARATIONS: Readonly<Record<string, RegExp>> = {
  mlir: /^#\w+ = /,
  llvm: /^(; ModuleID|source_filename|target |attributes #|declare |!)/,
  ptx: /^(\/\/|\.version|\.target|\.address_size|\s*\.(reg|file|section)\b)/,
};
const FEWEST_DECLARATIONS = 4;

/** A text by itself. */
export function plain(text: string, language = "text"): Sheet {
  const texts = text.split("\n");
  const lines = texts.map((_, at) => lineOf("after", at, true, null, []));
  return { text, lines, folds: declarations(texts, DECLARATIONS[language]) };
}

/** Runs of declarations, with the blank lines between them. */
function declarations(lines: readonly string[], pattern: RegExp | undefined): Folded[] {
  const found: Folded[] = [];
  if (!pattern) return found;
  lines.forEach((line, at) => {
    if (!pattern.test(line)) return;
    const run = found.at(-1);
    const isNext = run && lines.slice(run.last + 1, at).every((between) => between.trim() === "");
    if (isNext) run.last = at;
    else found.push({ first: at, last: at, what: "lines of declarations" });
  });
  return found.filter(({ first, last }) => last - first + 1 >= FEWEST_DECLARATIONS);
}

/** Two texts in one column: what went stands above what came in its place. */
export function inOne(before: string, after: string): Sheet {
  const texts = { before: before.split("\n"), after: after.split("\n") };
  const found = aligned(texts.before, texts.after);
  const words = wordsOf(found, texts);
  const lines = found.rows.flatMap((row) => {
    if (row.same) return made(found, words, "after", row);
    return [made(found, words, "before", row), made(found, words, "after", row)].filter(
      (line) => line !== null,
    );
  });
  return sheet(lines, texts);
}

/** Two texts in two columns, in which the rows stand beside each other. */
export function inTwo(before: string, after: string): Record<Side, Sheet> {
  const texts = { before: before.split("\n"), after: after.split("\n") };
  const found = aligned(texts.before, texts.after);
  const words = wordsOf(found, texts);
  const column = (side: Side) => found.rows.map((row) => made(found, words, side, row));
  return { before: sheet(column("before"), texts), after: sheet(column("after"), texts) };
}

function sheet(lines: (SheetLine | null)[], texts: Record<Side, readonly string[]>): Sheet {
  const text = lines.map((line) => (line ? texts[line.side][line.line - 1] : "")).join("\n");
  return { text, lines, folds: foldsOf(lines) };
}

type Words = Record<Side, ReadonlyMap<number, [number, number][]>>;

function made(found: Aligned, words: Words, side: Side, row: Row): SheetLine | null {
  const at = row[side];
  if (at === null) return null;
  return lineOf(side, at, row.same, found[side].get(at) ?? null, words[side].get(at) ?? []);
}

const lineOf = (
  side: Side,
  at: number,
  same: boolean,
  twin: Twin | null,
  words: SheetLine["words"],
): SheetLine => ({ side, line: at + 1, same, twin, words });

/** What differs within lines that stand beside each other or are twins. */
function wordsOf(found: Aligned, texts: Record<Side, readonly string[]>): Words {
  const words = { before: new Map(), after: new Map() } as {
    [S in Side]: Map<number, [number, number][]>;
  };
  const compare = (a: number, b: number) => {
    const { before, after } = differing(texts.before[a]!, texts.after[b]!);
    words.before.set(a, before);
    words.after.set(b, after);
  };
  for (const { before, after, same } of found.rows)
    if (!same && before !== null && after !== null) compare(before, after);
  for (const [line, twin] of found.before) if (twin.how !== "moved") compare(line, twin.line);
  return words;
}

function foldsOf(lines: readonly (SheetLine | null)[]): Folded[] {
  const found: Folded[] = [];
  const changes = lines.flatMap((line, at) => (line?.same ? [] : at));
  const ends = [-1 - MARGIN, ...changes, lines.length + MARGIN];
  for (let i = 1; i < ends.length; i++) {
    const [first, last] = [ends[i - 1]! + 1 + MARGIN, ends[i]! - 1 - MARGIN];
    if (last - first + 1 >= LEAST) found.push({ first, last, what: "unchanged lines" });
  }
  return found;
}
