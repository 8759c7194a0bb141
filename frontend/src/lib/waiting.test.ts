import { expect, it } from "vitest";
import { waiting } from "./waiting";

it.each([
  [null, null, ""],
  [0, null, "next"],
  [0, 0, "next"],
  [0, 4, "next, begins in about 4 s"],
  [1, null, "1 run before it"],
  [3, 20, "3 runs before it, begins in about 20 s"],
  [200, 610, "200 runs before it, begins in about 10 min"],
])("%s runs before it, %s seconds: %s", (ahead, seconds, words) => {
  expect(waiting(ahead, seconds)).toBe(words);
});

it("says why none begins, in the place of when", () => {
  const why = "the compiler is being started";
  expect(waiting(2, 20, why)).toBe("2 runs before it; the compiler is being started");
  expect(waiting(null, null, why)).toBe(why);
});
