import { describe, expect, it } from "vitest";
import { inOne, inTwo, likeRow, plain } from "./sheet";

const BEFORE = ["a", "b", "c", "d"].join("\n");
const AFTER = ["a", "c", "e", "d"].join("\n");

describe("two texts as a sheet", () => {
  it("are one column in which every line knows its text", () => {
    const { text, lines } = inOne(BEFORE, AFTER);
    expect(text.split("\n")).toEqual(["a", "b", "c", "e", "d"]);
    expect(lines.map((line) => [line!.side, line!.line, line!.same])).toEqual([
      ["after", 1, true],
      ["before", 2, false],
      ["after", 2, true],
      ["after", 3, false],
      ["after", 4, true],
    ]);
  });

  it("are two columns of as many rows, blank where the other has a line", () => {
    const { before, after } = inTwo(BEFORE, AFTER);
    expect(before.text.split("\n")).toEqual(["a", "b", "c", "", "d"]);
    expect(after.text.split("\n")).toEqual(["a", "", "c", "e", "d"]);
    expect(after.lines[1]).toBeNull();
  });

  it("fold what both have, but for what is near a change", () => {
    const long = Array.from({ length: 40 }, (_, i) => `line ${i}`);
    const { folds } = inOne(long.join("\n"), long.with(20, "other").join("\n"));
    expect(folds.map(({ first, last }) => [first, last])).toEqual([
      [0, 15],
      [26, 40],
    ]);
  });
});

it("a text's declarations are folded where there are many", () => {
  const text = ["#blocked = 1", "#shared = 2", "", "#loc = 3", "#smem = 4", "module {", "}"];
  const { folds } = plain(text.join("\n"), "mlir");
  expect(folds).toEqual([{ first: 0, last: 4, what: "lines of declarations" }]);
  expect(plain(text.join("\n"), "python").folds).toEqual([]);
});

describe("equal blocks", () => {
  const block = (i: number, op: string) => [
    ...["dot", op, "add"].map(
      (name, j) => `  %${10 * i + j} = ${name}(%${10 * i + j - 1}) : f32[4]`,
    ),
    `  %${10 * i + 9} = tanh(%${10 * i + 2}) : f32[4]`,
  ];
  const text = (op: string) =>
    ["graph f() {", ...[1, 2, 3, 4].flatMap((i) => block(i, op)), "}"].join("\n");
  const fold = { first: 5, last: 16, what: "lines: the 4 above, 3 times more", each: 4 };

  it("are folded but for the first, of which each line has its like", () => {
    expect(plain(text("exp"), "fuselab").folds).toEqual([fold]);
    expect([5, 6, 9, 16].map((row) => likeRow(fold, row))).toEqual([1, 2, 1, 4]);
    expect(likeRow({ first: 1, last: 2, what: "unchanged lines" }, 1)).toBeNull();
  });

  it("that were changed alike are folded in a comparison, in both of its columns", () => {
    const { before, after } = inTwo(text("exp"), text("exp2"), "fuselab");
    expect(after.folds).toEqual([fold]);
    expect(before.folds).toEqual([fold]);
    const one = inOne(text("exp"), text("exp2"), "fuselab");
    expect(one.folds).toEqual([
      { first: 6, last: 20, what: "lines: the 5 above, 3 times more", each: 5 },
    ]);
  });

  it("that nothing changed in are unchanged lines", () => {
    const { folds } = inOne(text("exp"), text("exp").replace("graph f", "graph g"), "fuselab");
    expect(folds.map(({ what }) => what)).toEqual(["unchanged lines"]);
  });
});
