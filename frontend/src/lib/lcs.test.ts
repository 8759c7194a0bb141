import { describe, expect, it } from "vitest";
import { inCommon } from "./lcs";

/** The length by the table that every textbook has. */
function byTable(a: readonly string[], b: readonly string[]): number {
  let row = Array<number>(b.length + 1).fill(0);
  for (const x of a) {
    const next = [0];
    b.forEach((y, j) => next.push(x === y ? row[j]! + 1 : Math.max(next[j]!, row[j + 1]!)));
    row = next;
  }
  return row[b.length]!;
}

/** Numbers that are the same in every run. */
function drawing(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return Math.floor((state / 2147483648) * below);
  };
}

describe("the lines that two texts have in common", () => {
  it("are as many as there can be, in both texts' order", () => {
    const draw = drawing(1);
    for (let round = 0; round < 300; round++) {
      const text = () => Array.from({ length: draw(90) }, () => "abcdefgh"[draw(8)]!);
      const [a, b] = [text(), text()];
      const found = inCommon(a, b);
      expect(found.length).toBe(byTable(a, b));
      expect(found.every(([i, j]) => a[i] === b[j])).toBe(true);
      const rises = (side: 0 | 1) =>
        found.every((pair, at) => at === 0 || found[at - 1]![side] < pair[side]);
      expect(rises(0) && rises(1)).toBe(true);
    }
  });

  it("are found between long texts that differ in most lines", () => {
    const draw = drawing(2);
    const before = Array.from({ length: 3000 }, (_, i) => `%${i} = op ${draw(40)}`);
    const after = before.map((line) => (draw(10) < 9 ? `${line} changed` : line));
    const kept = after.filter((line) => !line.endsWith("changed")).length;
    expect(inCommon(before, after).length).toBe(kept);
  });
});
