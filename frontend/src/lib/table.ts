/** The rows of a table as a person wants them. */
import type { Column, Row, Table } from "../wire";
import { bytes, count, digits, group, microseconds, milliseconds, scientific } from "./format";

/** A row of the page's own making: of a cell that has nothing, why. */
export interface ExplainedRow extends Row {
  why: readonly string[];
}

export const whyOf = (row: Row, column: number): string =>
  (row as Partial<ExplainedRow>).why?.[column] ?? "";

type Cell = Row["cells"][number];

/** Below, three digits have no room without an exponent. */
const SMALL = 1e-4;

function plain(value: number): string {
  if (Number.isInteger(value)) return group(value);
  return Math.abs(value) < SMALL ? scientific(value) : digits(value);
}

const UNITS: Record<Column["unit"], (value: number) => string> = {
  "": plain,
  us: microseconds,
  ms: milliseconds,
  bytes,
  flops: count,
  ratio: digits,
};

/** A cell as a person reads it. */
export function cellText(cell: Cell | undefined, { unit }: Pick<Column, "unit">): string {
  if (cell === null || cell === undefined) return "–";
  if (typeof cell === "boolean") return cell ? "yes" : "no";
  return typeof cell === "number" ? (UNITS[unit] ?? UNITS[""])(cell) : cell;
}

/** A table of a plot's numbers, to be kept as a file: titles with their units, and the cells. */
export const numbers = (
  name: string,
  columns: readonly (readonly [title: string, unit?: Column["unit"]])[],
  rows: readonly Cell[][],
): Table => ({
  name,
  about: "",
  columns: columns.map(([title, unit = ""]) => ({ title, unit, about: "" })),
  rows: rows.map((cells) => ({ cells, nodes: [], line: null })),
});

/** Whether a column is of numbers: they stand at the right. */
export function isNumeric({ columns, rows }: Table, column: number): boolean {
  if (columns[column]!.unit !== "") return true;
  const known = rows.map(({ cells }) => cells[column] ?? null).filter((cell) => cell !== null);
  return known.length > 0 && known.every((cell) => typeof cell === "number");
}

/** By which column, and whether the largest comes first; null for the order that the stage gave. */
export type Order = { column: number; down: boolean } | null;

/** What a press on a column's title makes of the order: numbers begin with the largest. */
export function reordered(order: Order, column: number, numeric: boolean): Order {
  if (order?.column !== column) return { column, down: numeric };
  return order.down === numeric ? { column, down: !numeric } : null;
}

const collator = new Intl.Collator("en", { numeric: true });

/** The places of the rows that have all words of `filter`, in `order`; cells without anything to say
 * come last either way. */
export function arranged(table: Table, filter: string, order: Order): number[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const texts = words.length > 0 ? textsOf(table) : [];
  const found = [...table.rows.keys()].filter((row) =>
    words.every((word) => texts[row]!.includes(word)),
  );
  if (order === null) return found;
  const { column, down } = order;
  const cell = (row: number) => table.rows[row]!.cells[column] ?? null;
  return found.sort((a, b) => compared(cell(a), cell(b), down));
}

function compared(a: Cell, b: Cell, down: boolean): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  const both = typeof a === "number" && typeof b === "number";
  const ascending = both ? a - b : collator.compare(String(a), String(b));
  return down ? -ascending : ascending;
}

const searched = new WeakMap<Table, readonly string[]>();

function textsOf(table: Table): readonly string[] {
  let found = searched.get(table);
  if (!found) {
    found = table.rows.map(({ cells }) =>
      cells
        .map((cell, at) => cellText(cell, table.columns[at]!))
        .join("\n")
        .toLowerCase(),
    );
    searched.set(table, found);
  }
  return found;
}

const LONGEST = 48;
const PADDING = 4;

/** How many letters each column has room for: its longest cell, within reason. */
export function widthsOf({ columns, rows }: Table): number[] {
  return columns.map((column, at) => {
    const lengths = rows.map(({ cells }) => cellText(cells[at], column).length);
    const longest = lengths.reduce((a, b) => Math.max(a, b), column.title.length + 2);
    return Math.min(LONGEST, longest) + PADDING;
  });
}

/** With its first word or two a text is told from the others; the row in full has all of it. */
const LEAST = 16;

/** Room that one long column would take by itself, as a phone's, and how wide a column of texts then
 * is. */
const SCARCE = 60;
const NARROWEST = 13;

/** The widths, the widest columns of texts narrower where all are in sight so; where no column can
 * be as narrow as that takes, as they are, but on a phone a few are in sight beside each other.
 * `room` is in letters, of all columns. */
export function fitted(
  widths: readonly number[],
  numeric: readonly boolean[],
  room: number,
): readonly number[] {
  const atMost = (most: number) => widths.map((w, at) => (numeric[at] ? w : Math.min(w, most)));
  for (let most = Math.max(0, ...widths); most >= LEAST; most--) {
    const found = atMost(most);
    if (found.reduce((a, b) => a + b, 0) <= room) return found;
  }
  return room < SCARCE ? atMost(NARROWEST) : widths;
}

/** The whole table as comma-separated values: numbers as they are, units in the titles. */
export function csvOf({ columns, rows }: Table): string {
  const titles = columns.map(({ title, unit }) => (unit === "" ? title : `${title} (${unit})`));
  const lines = rows.map(({ cells, line }) => [...cells, line].map(csvCell).join(","));
  return [[...titles, "line"].map(csvCell).join(","), ...lines].join("\r\n") + "\r\n";
}

function csvCell(cell: Cell): string {
  const text = cell === null ? "" : String(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The places of the rows to draw, of `total`, where `top` pixels are scrolled away above `room`. */
export function windowOf(
  total: number,
  height: number,
  top: number,
  room: number,
): { from: number; to: number } {
  const beyond = 12;
  const from = Math.max(0, Math.floor(top / height) - beyond);
  return { from, to: Math.min(total, Math.ceil((top + room) / height) + beyond) };
}
