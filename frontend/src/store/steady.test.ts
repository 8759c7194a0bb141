import { signal } from "@preact/signals";
import { expect, it } from "vitest";
import { alike, steady } from "./steady";

it("stays the same object while it says the same", () => {
  const report = signal({ lines: [1, 2], stages: 1 });
  const lines = steady(() => report.value.lines.map((line) => line + 1));
  const first = lines.value;
  report.value = { lines: [1, 2], stages: 2 };
  expect(lines.value).toBe(first);
  report.value = { lines: [1], stages: 2 };
  expect(lines.value).toEqual([2]);
});

it("stays the same object while its fields are the same ones", () => {
  const [lines, stages] = [[1], [2]];
  const report = signal<{ lines: number[]; stages: number[] } | null>({ lines, stages });
  const found = alike(() => report.value && { lines: report.value.lines });
  const first = found.value;
  report.value = { lines, stages: [3] };
  expect(found.value).toBe(first);
  report.value = { lines: [1], stages };
  expect(found.value).not.toBe(first);
  report.value = null;
  expect(found.value).toBeNull();
});
