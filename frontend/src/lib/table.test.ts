import { describe, expect, it } from "vitest";
import type { Row, Table } from "../wire";
import {
  arranged,
  cellText,
  csvOf,
  fitted,
  isNumeric,
  reordered,
  widthsOf,
  windowOf,
} from "./table";

const row = (...cells: Row["cells"]): Row => ({ cells, nodes: [], line: null });

const table: Table = {
  name: "buffers",
  about: "",
  columns: [
    { title: "Name", unit: "", about: "" },
    { title: "Size", unit: "bytes", about: "" },
    { title: "Note", unit: "", about: "" },
  ],
  rows: [
    row("b10", 2048, "temporary"),
    row("b2", null, 'say "hi"'),
    row("b1", 4096, "Temporary, reused"),
  ],
};

describe("a table's cells", () => {
  it.each([
    [1536, "bytes", "1.50\u00a0KiB"],
    [1500, "us", "1.50\u00a0ms"],
    [12, "ms", "12.0\u00a0ms"],
    [2e9, "flops", "2.00\u00a0G"],
    [12345, "", "12\u2009345"],
    [0.25, "ratio", "0.250"],
    [0.25, "", "0.250"],
    [8.66e-8, "", "8.7e-8"],
    [true, "", "yes"],
    [null, "bytes", "–"],
    ["add", "", "add"],
  ] as const)("%s of unit %s is %s", (cell, unit, text) => {
    expect(cellText(cell, { unit })).toBe(text);
  });

  it("are numbers where the column has a unit, or nothing else in it", () => {
    expect(table.columns.map((_, at) => isNumeric(table, at))).toEqual([false, true, false]);
  });
});

describe("a table's rows", () => {
  it("are found by all words of the filter, in any cell and any case", () => {
    expect(arranged(table, "TEMPORARY", null)).toEqual([0, 2]);
    expect(arranged(table, "b1 reused", null)).toEqual([2]);
    expect(arranged(table, "kib 2.00", null)).toEqual([0]);
  });

  it("are sorted by number and by name, what says nothing last", () => {
    expect(arranged(table, "", { column: 1, down: true })).toEqual([2, 0, 1]);
    expect(arranged(table, "", { column: 1, down: false })).toEqual([0, 2, 1]);
    expect(arranged(table, "", { column: 0, down: false })).toEqual([2, 1, 0]);
  });

  it("come back to their own order with the third press", () => {
    const once = reordered(null, 1, true);
    const twice = reordered(once, 1, true);
    expect([once, twice, reordered(twice, 1, true)]).toEqual([
      { column: 1, down: true },
      { column: 1, down: false },
      null,
    ]);
  });

  it("are drawn only where they can be seen", () => {
    expect(windowOf(5000, 24, 24_000, 240)).toEqual({ from: 988, to: 1022 });
    expect(windowOf(3, 24, 0, 240)).toEqual({ from: 0, to: 3 });
  });
});

it("a table is saved with its numbers as they are", () => {
  expect(csvOf(table).split("\r\n")).toEqual([
    "Name,Size (bytes),Note,line",
    "b10,2048,temporary,",
    'b2,,"say ""hi""",',
    'b1,4096,"Temporary, reused",',
    "",
  ]);
});

it("a column has room for its longest cell, within reason", () => {
  const long = { ...table, rows: [row("x".repeat(900), 1, null)] };
  expect(widthsOf(long)[0]).toBe(52);
  expect(widthsOf(table)[2]).toBe(21);
});

it("has its widest texts narrower where all columns are in sight so, and never its numbers", () => {
  const numeric = [false, true, false, false];
  expect(fitted([52, 30, 52, 20], numeric, 200)).toEqual([52, 30, 52, 20]);
  expect(fitted([52, 30, 52, 20], numeric, 115)).toEqual([32, 30, 32, 20]);
  expect(fitted([52, 30, 52, 20], numeric, 78)).toEqual([16, 30, 16, 16]);
  // It is scrolled all the same: then what can be read is.
  expect(fitted([52, 30, 52, 20], numeric, 77)).toEqual([52, 30, 52, 20]);
  // On a phone one would fill the screen.
  expect(fitted([52, 30, 52, 20], numeric, 45)).toEqual([13, 30, 13, 13]);
});
