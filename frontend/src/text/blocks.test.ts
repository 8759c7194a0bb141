import { describe, expect, it } from "vitest";
import { equalBlocks } from "./blocks";

/** Blocks of a product with a weight of the block's own and of what follows it. */
const layers = (times: number, second = (x: number) => `%${x + 1}, %${x + 1}`): string[] =>
  Array.from({ length: times }, (_, i) => 10 + 2 * i).flatMap((x, i) => [
    `  %${x + 1} = dot(%${x}, %${i}) : f32[4,4]`,
    `  %${x + 2} = add(${second(x)}) : f32[4,4]`,
  ]);

describe("equal blocks", () => {
  it("are lines that repeat but for the names of their values", () => {
    const lines = ["graph f(%0: f32[4,4]) {", ...layers(5), "  return %20", "}"];
    expect(equalBlocks(lines, "fuselab")).toEqual([{ first: 1, length: 2, times: 5 }]);
    expect(equalBlocks(lines, "python")).toEqual([]);
  });

  it("have their values where the others have them", () => {
    const crossed = layers(8, (x) => (x === 18 ? `%${x + 1}, %${x}` : `%${x + 1}, %${x + 1}`));
    expect(equalBlocks(crossed, "fuselab")).toEqual([
      { first: 0, length: 2, times: 4 },
      { first: 10, length: 2, times: 3 },
    ]);
  });

  it("are of the same sizes", () => {
    const grown = layers(3).map((line, at) => (at > 3 ? line.replaceAll("4,4", "8,8") : line));
    expect(equalBlocks(grown, "fuselab")).toEqual([]);
  });
});
