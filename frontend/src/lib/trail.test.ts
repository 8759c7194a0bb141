import { expect, it } from "vitest";
import { EMPTY_PROGRAM, type CapturedOp, type Kernel, type Program } from "../wire";
import { trailOf } from "./trail";

const node = (id: number, op: string, line: number) => ({ id, op, line, column: 1 }) as CapturedOp;
const kernel = (id: string, nodes: number[], values: number[]) =>
  ({ id, nodes, values }) as unknown as Kernel;

const program = {
  ...EMPTY_PROGRAM,
  nodes: [node(3, "layer_norm", 15), node(4, "gelu", 16)],
} as Program;
const kernels = [kernel("k0", [3], [9, 10]), kernel("k1", [3, 4], [11])];

const words = (nodes: number[], values: number[]) =>
  trailOf(
    program,
    kernels,
    { nodes: new Set(nodes), values: new Set(values.map((v) => ~v)) },
    { triton: { lines: [22, 30] }, assembly: { lines: [88] }, c: { lines: [] } },
    [
      { id: "triton", title: "Triton" },
      { id: "c", title: "C" },
      { id: "assembly", title: "PTX" },
    ],
  ).map(({ text }) => text);

it("a value is followed from its line to the kernel that computes it and to its code", () => {
  expect(words([3], [10])).toEqual(["line 15", "layer_norm", "%10", "k0", "triton:22", "ptx:88"]);
  expect(words([3], [])).toEqual(["line 15", "layer_norm", "k0, k1", "triton:22", "ptx:88"]);
  expect(words([], [])).toEqual([]);
});
