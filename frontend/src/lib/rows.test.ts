import { describe, expect, it } from "vitest";
import { aligned, differing } from "./rows";

const BEFORE = [
  "graph f(%0: f32[8]) {",
  "  %1 = negate(%0) : f32[8]",
  "  %2 = negate(%1) : f32[8]",
  "  %3 = exponential(%2) : f32[8]",
  "  %4 = add(%3, %0) : f32[8]",
  "  return %4",
  "}",
];

const without = (text: readonly string[], line: number) => text.filter((_, at) => at !== line);

describe("two texts row by row", () => {
  it("have what only one of them has in rows of its own", () => {
    const { rows } = aligned(BEFORE, without(BEFORE, 2));
    expect(rows.filter(({ same }) => !same)).toEqual([{ before: 2, after: null, same: false }]);
    expect(rows.length).toBe(BEFORE.length);
  });

  it("have the same value in one row, however the line differs", () => {
    const after = [...without(BEFORE, 1)];
    after[1] = "  %2 = copy(%0) : f32[8]";
    after[2] = "  %3 = exponential(%2) : f64[8]";
    const { rows, before } = aligned(BEFORE, after);
    expect(rows.filter(({ same }) => !same)).toEqual([
      { before: 1, after: null, same: false },
      { before: 2, after: 1, same: false },
      { before: 3, after: 2, same: false },
    ]);
    expect(before.get(2)).toEqual({ how: "changed", line: 1 });
  });

  it("say where a line that is moved was, and what was renamed", () => {
    const moved = [BEFORE[0]!, BEFORE[3]!, BEFORE[1]!, BEFORE[2]!, ...BEFORE.slice(4)];
    expect(aligned(BEFORE, moved).after.get(1)).toEqual({ how: "moved", line: 3 });
    const renamed = BEFORE.with(3, "  %9 = exponential(%2) : f32[8]");
    expect(aligned(BEFORE, renamed).after.get(3)).toEqual({ how: "renamed", line: 3 });
  });

  it("have every line once, in order", () => {
    const after = BEFORE.toReversed();
    const { rows } = aligned(BEFORE, after);
    for (const side of ["before", "after"] as const)
      expect(rows.flatMap((row) => row[side] ?? [])).toEqual([...BEFORE.keys()]);
  });
});

it("lines differ by whole words", () => {
  const [before, after] = ["%2 = add(%1, %0)", "%2 = multiply(%1, %12)"];
  const found = differing(before, after);
  expect(found.before.map(([from, to]) => before.slice(from, to))).toEqual(["add", "%0"]);
  expect(found.after.map(([from, to]) => after.slice(from, to))).toEqual(["multiply", "%12"]);
});
