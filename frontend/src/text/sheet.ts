/** What a text view draws: the lines of one text, or those of two that are compared, in one column or
 * as one of two. */
import { aligned, differing, type Aligned, type Row, type Twin } from "../lib/rows";
import { equalBlocks } from "./blocks";

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
  /** What nobody need read: of two texts what both have, of one its declarations, of equal blocks
   * all but the first. */
  folds: readonly Folded[];
}

export interface Folded {
  /** Rows, from 0. */
  first: number;
  last: number;
  /** What the lines are, as in "12 unchanged lines". */
  what: string;
  /** Of blocks that are equal to the one above: how many rows each has. */
  each?: number;
}

/** The row in sight that says what a folded one says; null where none does. */
export function likeRow({ first, each }: Folded, row: number): number | null {
  return each === undefined ? null : first - each + ((row - first) % each);
}

/** What is to be drawn. */
export interface Wanted {
  after: string;
  before: string | null;
  language: string;
  /** Of two texts, each in a column. */
  split: boolean;
}

/** A sheet a column. */
export function sheetsOf({ after, before, language, split }: Wanted): readonly Sheet[] {
  if (before === null) return [plain(after, language)];
  if (!split) return [inOne(before, after, language)];
  const both = inTwo(before, after, language);
  return [both.before, both.after];
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
  const folds = [...declarations(texts, DECLARATIONS[language]), ...again(texts, language)];
  return { text, lines, folds };
}

/** All but the first of equal blocks, where that spares anybody much. */
function again(rows: readonly string[], language: string): Folded[] {
  return equalBlocks(rows, language)
    .map(({ first, length, times }) => ({
      first: first + length,
      last: first + length * times - 1,
      what: `lines: the ${length} above, ${times - 1} times more`,
      each: length,
    }))
    .filter(({ first, last }) => last - first + 1 >= LEAST);
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
export function inOne(before: string, after: string, language = "text"): Sheet {
  const texts = { before: before.split("\n"), after: after.split("\n") };
  const found = aligned(texts.before, texts.after);
  const words = wordsOf(found, texts);
  const lines = found.rows.flatMap((row) => {
    if (row.same) return made(found, words, "after", row);
    return [made(found, words, "before", row), made(found, words, "after", row)].filter(
      (line) => line !== null,
    );
  });
  const signs = lines.map((line) => signed([line], texts));
  return sheet(lines, texts, foldsOf(lines, again(signs, language)));
}

/** Two texts in two columns, in which the rows stand beside each other. */
export function inTwo(before: string, after: string, language = "text"): Record<Side, Sheet> {
  const texts = { before: before.split("\n"), after: after.split("\n") };
  const found = aligned(texts.before, texts.after);
  const words = wordsOf(found, texts);
  const column = (side: Side) => found.rows.map((row) => made(found, words, side, row));
  const columns = { before: column("before"), after: column("after") };
  const signs = found.rows.map((_, at) => signed([columns.before[at]!, columns.after[at]!], texts));
  // What is folded is so in both columns, or their rows would part.
  const folds = foldsOf(columns.after, again(signs, language));
  const of = (side: Side) => sheet(columns[side], texts, folds);
  return { before: of("before"), after: of("after") };
}

type Texts = Record<Side, readonly string[]>;

function sheet(lines: (SheetLine | null)[], texts: Texts, folds: Folded[]): Sheet {
  return { text: lines.map((line) => textOf(line, texts)).join("\n"), lines, folds };
}

const textOf = (line: SheetLine | null, texts: Texts): string =>
  line ? texts[line.side][line.line - 1]! : "";

/** A row with what became of it, as blocks are compared. */
const signed = (row: readonly (SheetLine | null)[], texts: Texts): string =>
  row.map((line) => `${line?.same ? "=" : (line?.side ?? "")} ${textOf(line, texts)}`).join("\n");

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

/** Unchanged lines, and blocks that were changed as the one above them was. */
function foldsOf(lines: readonly (SheetLine | null)[], blocks: readonly Folded[]): Folded[] {
  const isSame = (line: SheetLine | null) => line?.same ?? false;
  const changed = blocks.filter(({ first, last }) => !lines.slice(first, last + 1).every(isSame));
  const changes = lines.flatMap((line, at) => (isSame(line) ? [] : at));
  const ends = [-1 - MARGIN, ...changes, lines.length + MARGIN];
  const unchanged: Folded[] = [];
  for (let i = 1; i < ends.length; i++) {
    const [first, last] = [ends[i - 1]! + 1 + MARGIN, ends[i]! - 1 - MARGIN];
    unchanged.push(...outside(changed, { first, last, what: "unchanged lines" }));
  }
  const worth = unchanged.filter(({ first, last }) => last - first + 1 >= LEAST);
  return [...worth, ...changed].sort((a, b) => a.first - b.first);
}

/** What of a fold is in none of the others, which are in order. */
function outside(others: readonly Folded[], fold: Folded): Folded[] {
  const parts: Folded[] = [];
  let { first } = fold;
  for (const other of others) {
    if (other.last < first || other.first > fold.last) continue;
    parts.push({ ...fold, first, last: other.first - 1 });
    first = other.last + 1;
  }
  return [...parts, { ...fold, first }];
}
