import { describe, expect, it } from "vitest";
import { EMPTY_PROGRAM, type Program, type Stage } from "../wire";
import { drawnGraph, stepAt, stepsOf } from "./steps";

const artifact = (name: string) => ({
  name,
  kind: "ir",
  language: "fuselab" as const,
  text: `graph ${name}`,
  nodes: [],
  kernel: null,
  stored: null,
});

const stage = (name: string, change: Partial<Stage> = {}): Stage => ({
  name,
  status: "ok",
  ms: 0,
  artifacts: [],
  kind: "pass",
  changed: true,
  summary: "",
  rewrites: [],
  graph: "whole",
  backend: "",
  compiler: "",
  parent: "",
  tables: [],
  placement: null,
  added: null,
  removed: null,
  ...change,
});

const program: Program = {
  ...EMPTY_PROGRAM,
  stages: [
    stage("capture", { kind: "capture", artifacts: [artifact("ir")] }),
    stage("fold-constants", { changed: false }),
    stage("merge-views", { artifacts: [artifact("before"), artifact("after")] }),
    stage("fuse", { kind: "fuse", backend: "cpu" }),
    stage("fuse", { kind: "fuse", backend: "gpu" }),
    stage("c", { kind: "codegen", backend: "cpu" }),
  ],
};

it("have the passes of the plan that is shown, and none of another's", () => {
  const passes = ["cpu", "gpu"].map((backend) =>
    stage("recompute-columns", { backend, artifacts: [artifact("before"), artifact("after")] }),
  );
  const stages = program.stages.toSpliced(3, 0, ...passes);
  const names = stepsOf({ ...program, stages }, "whole", "gpu").map(({ index }) => index);
  expect(names).toEqual([0, 2, 4, 6]);
});

describe("the steps of a graph", () => {
  const steps = stepsOf(program, "whole", "gpu");

  it("are the capture, the passes that changed it, and the fusion of the plan", () =>
    expect(steps.map(({ name, index, isFused }) => [name, index, isFused])).toEqual([
      ["captured", 0, false],
      ["merge-views", 2, false],
      ["fuse", 4, true],
    ]));

  it("show the stage that is chosen, and fusion before any is", () =>
    expect([null, 0, 1, 2, 3, 4, 5].map((index) => stepAt(steps, index))).toEqual([
      2, 0, 0, 1, 1, 2, 2,
    ]));

  it("are of the first graph that has IR, where the chosen one has none", () => {
    expect(drawnGraph(program, null)).toBe("whole");
    expect(drawnGraph(program, "other")).toBe("whole");
    expect(drawnGraph(EMPTY_PROGRAM, null)).toBeNull();
    expect(stepsOf(EMPTY_PROGRAM, "whole", "cpu")).toEqual([]);
  });
});
