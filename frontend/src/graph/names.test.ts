import { describe, expect, it } from "vitest";
import { parseIr } from "./irtext";
import { namesOf } from "./names";

const TEXT = `graph f(%0: f32[4]) {
  %1 = tanh(%0) : f32[4]
  %2 = scan(%1) body(%3: f32[4]) {
    %4 = tanh(%3) : f32[4]
    return %4
  } : f32[4]
  %5 = tanh(%2) : f32[4]
  %6 = constant() {value = 1.0} : f32[4]
  return %5
}
`;

describe("names of values", () => {
  it("are those of what they come from, numbered where several are alike", () => {
    const nodes = [[], [7], [3], [7], [], [], [9, 7], [], [], []];
    const names = namesOf(parseIr(TEXT, nodes)!);
    expect([...names]).toEqual([
      [1, "7.tanh"],
      [4, "7.tanh.2"],
      [2, "3.scan"],
      [5, "7.tanh.3"],
      [6, "constant"],
    ]);
  });
});
