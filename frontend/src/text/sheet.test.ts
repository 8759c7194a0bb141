import { describe, expect, it } from "vitest";
import { inOne, inTwo, plain } from "./sheet";

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
