import { signal } from "@preact/signals";
import { expect, it } from "vitest";
import { steady } from "./steady";

it("stays the same object while it says the same", () => {
  const report = signal({ lines: [1, 2], stages: 1 });
  const lines = steady(() => report.value.lines.map((line) => line + 1));
  const first = lines.value;
  report.value = { lines: [1, 2], stages: 2 };
  expect(lines.value).toBe(first);
  report.value = { lines: [1], stages: 2 };
  expect(lines.value).toEqual([2]);
});
