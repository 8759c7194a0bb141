import { describe, expect, it } from "vitest";
import { EMPTY_PROGRAM, ROOT_GRAPH, type Kernel, type Program, type Timing } from "../wire";
import { ALL, backendsOf, hasRun, isOfPlan, labelOf, sectionsOf, withoutLaunch } from "./plans";

const kernel = (id: string, graph: string, backend: string): Kernel =>
  ({ id, graph, backend }) as unknown as Kernel;

const program = (change: Partial<Program>): Program => ({
  ...EMPTY_PROGRAM,
  graphs: [ROOT_GRAPH],
  ...change,
});

const divided = [
  ROOT_GRAPH,
  { ...ROOT_GRAPH, id: "a", parent: "whole" },
  { ...ROOT_GRAPH, id: "b", parent: "whole" },
];

describe("the backends of a program", () => {
  const kernels = [kernel("k", "whole", "gpu"), kernel("k", "whole", "cpu")];

  it("begin with the one that it runs on", () => {
    expect(backendsOf(program({ kernels, backend: "gpu" }))).toEqual(["gpu", "cpu"]);
    expect(backendsOf(program({ kernels, backend: "cpu" }))).toEqual(["cpu", "gpu"]);
  });

  it("are none where nobody names one", () => {
    expect(backendsOf(program({ kernels: [kernel("k", "whole", "")] }))).toEqual([]);
  });

  it("are shown by their own name where the page does not know it", () => {
    const more = [...kernels, kernel("k", "whole", "npu")];
    expect(backendsOf(program({ kernels: more, backend: "cpu" })).map(labelOf)).toEqual([
      "CPU",
      "GPU",
      "npu",
    ]);
  });
});

describe("a plan", () => {
  it("has what names its backend, and what names none", () => {
    expect(isOfPlan({ backend: "cpu" }, "cpu")).toBe(true);
    expect(isOfPlan({ backend: "" }, "cpu")).toBe(true);
    expect(isOfPlan({ backend: "gpu" }, "cpu")).toBe(false);
    expect(isOfPlan({ backend: "gpu" }, ALL)).toBe(true);
  });

  it("has run once there is a result of it", () => {
    const timings = { core: {} as unknown as Timing };
    expect(hasRun(program({ backend: "cpu" }), "cpu")).toBe(false);
    expect(hasRun(program({ backend: "cpu", timings }), "cpu")).toBe(true);
    expect(hasRun(program({ backend: "cpu", timings }), "gpu")).toBe(false);
    expect(hasRun(program({ timings }), "")).toBe(false);
  });
});

describe("sections", () => {
  const named = (of: Program) =>
    sectionsOf(of, of.kernels).map(({ graph, backend, entries }) => [
      graph?.id ?? null,
      backend,
      entries.map(({ id }) => id).join(),
    ]);

  it("are one without a name where there is one graph and one plan", () => {
    const kernels = [kernel("k0", "whole", ""), kernel("k1", "whole", "")];
    expect(named(program({ kernels }))).toEqual([[null, "", "k0,k1"]]);
    const planned = kernels.map((k) => ({ ...k, backend: "cpu" }));
    expect(named(program({ kernels: planned, backend: "cpu" }))).toEqual([[null, "", "k0,k1"]]);
  });

  it("are in the order of the graphs and then of the plans, whatever came first", () => {
    const kernels = [
      kernel("k0", "b", "gpu"),
      kernel("k1", "b", "cpu"),
      kernel("k2", "a", "gpu"),
      kernel("k3", "a", "cpu"),
    ];
    expect(named(program({ kernels, graphs: divided, backend: "cpu" }))).toEqual([
      ["a", "cpu", "k3"],
      ["a", "gpu", "k2"],
      ["b", "cpu", "k1"],
      ["b", "gpu", "k0"],
    ]);
  });

  it("leave nothing out: of an unknown graph, or of no plan", () => {
    const kernels = [kernel("k0", "gone", "cpu"), kernel("k1", "a", ""), kernel("k2", "a", "gpu")];
    expect(named(program({ kernels, graphs: divided })).map((row) => row[2])).toEqual([
      "k0",
      "k2",
      "k1",
    ]);
  });
});

describe("the numbers of launches", () => {
  const missing = (...ids: string[]) => withoutLaunch(ids.map((id) => ({ id })));

  it("leave out steps that another launch stands for", () => {
    expect(missing("k1_matmul_add", "k2_tanh", "k4_reduce")).toEqual(["k0", "k3"]);
  });

  it("are not looked at in a region, whose launches have the loop's number first", () => {
    expect(missing("k2_body_k1_tanh")).toEqual([]);
  });

  it("are whole where each step is a launch, in whatever order", () => {
    expect(missing("k1_add", "k0_matmul", "k1_add_1")).toEqual([]);
    expect(missing()).toEqual([]);
  });
});
