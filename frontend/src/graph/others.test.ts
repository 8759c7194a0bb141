import { describe, expect, it } from "vitest";
import { EMPTY_PROGRAM, type FusionGroup, type Program } from "../wire";
import { drawingOf } from "./drawing";
import { parseIr } from "./irtext";
import { grouping, homesOf, othersGrouping } from "./others";

const group = (name: string, nodes: number[], change: Partial<FusionGroup> = {}): FusionGroup => ({
  compiler: "xla",
  name,
  kind: "kLoop",
  nodes,
  bytes: 4096,
  graph: "whole",
  backend: "",
  ...change,
});

describe("the home of an operation", () => {
  it("is the group that has it", () =>
    expect([...homesOf([group("a", [0]), group("b", [1, 2])])]).toEqual([
      [0, "0/a"],
      [1, "1/b"],
      [2, "1/b"],
    ]));

  it("is, of several that claim it, the nearest: a norm that is called twice", () => {
    const norm = [0, 1, 8, 9];
    const homes = homesOf([
      group("first", norm),
      group("mm", [...norm, 2, 3]),
      group("second", [...norm, 7]),
    ]);
    expect([...homes].sort(([a], [b]) => a - b).map(([, home]) => home)).toEqual([
      "0/first",
      "0/first",
      "1/mm",
      "1/mm",
      "2/second",
      "2/second",
      "2/second",
    ]);
  });
});

describe("the same operations in another compiler's kernels", () => {
  const graph = parseIr(
    `graph f(%0: f32[8]) {
  %1 = add(%0, %0) : f32[8]
  %2 = tanh(%1) : f32[8]
  return %2
}
`,
    [[], [0], [1], [], []],
  )!;
  const decision = {
    compiler: "xla",
    from: "add.1",
    to: "tanh.2",
    fused: false,
    reason: "kLoop, then kLoop",
    from_nodes: [0],
    to_nodes: [1],
    bytes: 32,
    graph: "whole",
    backend: "",
  };
  const op = (id: number, reads: number[]) => ({
    id,
    op: "op",
    line: 1,
    column: 0,
    graph: "whole",
    reads: reads.map((node) => ({ node, bytes: 32 })),
  });
  const program = {
    ...EMPTY_PROGRAM,
    nodes: [op(0, []), op(1, [0])],
    fusion_groups: [
      group("add_fusion", [0]),
      group("tanh_fusion", [1]),
      group("", [], { compiler: "inductor", backend: "gpu" }),
    ],
    fusion_decisions: [decision],
  } as Program;
  const drawing = drawingOf(graph, othersGrouping(program, "xla", "cpu"), {
    views: false,
    inputs: false,
  });

  it("are in hulls of its own names", () => {
    expect(
      drawing.boxes.filter(({ hull }) => hull).map(({ label, hull }) => [label, hull]),
    ).toEqual([
      ["add", "0/add_fusion"],
      ["tanh", "1/tanh_fusion"],
    ]);
    expect(drawing.hulls.map(({ title }) => title.replace("\u00a0", " "))).toEqual([
      "add_fusion, kLoop, 4.00 KiB",
      "tanh_fusion, kLoop, 4.00 KiB",
    ]);
  });

  it("say its reason where it kept two apart", () =>
    expect(drawing.lines.find(({ reasons }) => reasons.length > 0)).toMatchObject({
      from: "0/add_fusion/1",
      reasons: ["kLoop, then kLoop"],
    }));

  it("are offered for the compilers that were looked into, on the device that is shown", () => {
    expect(grouping(program, "cpu")).toEqual(["xla"]);
    expect(grouping(program, "gpu")).toEqual(["xla", "inductor"]);
  });
});
