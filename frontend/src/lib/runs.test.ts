import { describe, expect, it } from "vitest";
import { runsOf } from "./runs";

describe("repetitions in a row", () => {
  it.each([
    ["xabababy", [{ first: 1, length: 2, times: 3 }]],
    ["aaa", [{ first: 0, length: 1, times: 3 }]],
    ["abab", []],
    ["", []],
    [
      "abcabcabcddd",
      [
        { first: 0, length: 3, times: 3 },
        { first: 9, length: 1, times: 3 },
      ],
    ],
    ["babababa", [{ first: 0, length: 2, times: 4 }]],
  ])("of %s", (text, runs) => expect(runsOf([...text])).toEqual(runs));
});
