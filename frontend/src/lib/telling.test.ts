import { expect, test } from "vitest";
import type { Report } from "../wire";
import { circumstances } from "./telling";

test("says what it was run with in words", () => {
  const options = { compilers: ["core", "xla"], timeline: true, device: "cpu" };
  const device = { kind: "cpu", name: "AMD EPYC", threads: 2 };
  const report = { device, toolchain: { torch: "2.13" }, options } as unknown as Report;
  expect(circumstances(report)).toBe(
    "torch 2.13, AMD EPYC (2 threads), compilers: core + xla, timeline, device: cpu",
  );
});
