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

const lit = (lines: number[], at = 0, text = "") => ({ lines, at, backend: "gpu", text });
const IR = "graph f(%1: f32[8]) {\n  %9, %10 = sort(%1) : f32[8], i64[8]\n";

const words = (nodes: number[], values: number[]) =>
  trailOf(
    program,
    kernels,
    { nodes: new Set(nodes), values: new Set(values.map((v) => ~v)) },
    { ir: lit([2], 0, IR), triton: lit([22, 30], 1), assembly: lit([88], 3), c: lit([]) },
    [
      { id: "triton", title: "Triton" },
      { id: "c", title: "C" },
      { id: "assembly", title: "PTX" },
    ],
  ).map(({ text }) => text);

it("a value is followed from its line to the kernel that computes it and to its code", () => {
  const code = ["triton:30", "ptx:88"];
  expect(words([3], [10])).toEqual(["line 15", "layer_norm", "%10 sort", "k0", ...code]);
  expect(words([3], [11])).toEqual(["line 15", "layer_norm", "%11", "k1", ...code]);
  expect(words([3], [])).toEqual(["line 15", "layer_norm", "k0, k1", ...code]);
  expect(words([], [])).toEqual([]);
});
