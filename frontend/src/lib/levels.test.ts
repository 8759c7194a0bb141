import { expect, it } from "vitest";
import sample from "./fixtures/sample.json";
import type { Report } from "../wire";
import { artifactsFor } from "./artifacts";
import { kernelAndLevel, levelsOf } from "./levels";

const { stages } = (sample.report as unknown as Report).programs[0]!;

it("kernels at several levels are told apart by kernel and by level", () => {
  const items = artifactsFor("assembly", stages);
  const levels = levelsOf(items)!;
  expect(levels[0]).toEqual({ kind: "ptx", name: "PTX" });
  const kernels = new Set(items.map((item) => kernelAndLevel(item).kernel));
  expect(kernels.size * levels.length).toBeGreaterThanOrEqual(items.length);
});

it("texts of one level are one list", () => {
  expect(levelsOf(artifactsFor("triton", stages))).toBeNull();
  expect(levelsOf(artifactsFor("reference", stages))).toBeNull();
});
