import { describe, expect, it } from "vitest";
import type { CapturedOp, Kernel } from "../wire";
import {
  atColumn,
  chosenOfLine,
  closeness,
  closestFirst,
  hueOfKernel,
  huesOf,
  lineHues,
  litLines,
  litSpots,
  sourceMap,
} from "./linemap";

const MAP = [[], [1], [1, 2], [3]];

const chosen = (nodes: number[]) => ({ nodes: new Set(nodes), values: new Set<number>() });

const kernel = (id: string, nodes: number[]): Kernel =>
  ({ id, nodes, graph: "whole" }) as unknown as Kernel;

describe("line map", () => {
  it("lights every line that shares an operation", () => {
    expect(litLines(MAP, chosen([1]))).toEqual([2, 3]);
  });

  it("lights nothing for an empty selection", () => {
    expect(litLines(MAP, chosen([]))).toEqual([]);
  });

  it("knows the operations of a line, and none of a line beyond the map", () => {
    expect([...chosenOfLine(MAP, 3, false).nodes]).toEqual([1, 2]);
    expect([...chosenOfLine(MAP, 9, false).nodes]).toEqual([]);
  });

  it("lights the lines of a value, and those of its operation where a text has no values", () => {
    const values = [[], [-5, 1], [-6, 1], [-6, 2]];
    const selection = chosenOfLine(values, 3, false);
    expect(litLines(values, selection)).toEqual([3]);
    expect(litLines(MAP, selection)).toEqual([2, 3]);
    expect(litLines(values, chosenOfLine(values, 3, true))).toEqual([2, 3]);
  });

  it("tells the operations of a line apart by where they begin", () => {
    // return x + act(linear(norm(x)))
    const at = (id: number, column: number | null) => ({ id, line: 2, column }) as CapturedOp;
    const line = [at(0, 26), at(1, 19), at(2, 15), at(3, 11)];
    const ids = (column: number | null) => atColumn(line, column).map(({ id }) => id);
    expect([11, 13, 15, 18, 22, 30].map(ids)).toEqual([[3], [3], [2], [2], [1], [0]]);
    expect([ids(null), ids(4)]).toEqual([
      [0, 1, 2, 3],
      [0, 1, 2, 3],
    ]);
    expect(litSpots(line, chosen([1]))).toEqual([{ line: 2, column: 19 }]);
    expect(litSpots(line, chosen([0, 1, 2, 3]))).toEqual([]);
  });

  it("tell two expressions apart that begin at one column by where they end", () => {
    // y = gelu(h @ w + b) + x
    const at = (id: number, column: number, end: number) =>
      ({ id, line: 1, column, end }) as CapturedOp;
    const line = [at(0, 10, 15), at(1, 10, 19), at(2, 5, 20), at(3, 5, 24)];
    const ids = (column: number) => atColumn(line, column).map(({ id }) => id);
    expect([10, 12, 16, 18].map(ids)).toEqual([[0], [0], [1], [1]]);
    expect([6, 19, 21, 23].map(ids)).toEqual([[2], [2], [3], [3]]);
    expect(ids(30)).toEqual([0]);
  });

  it("puts the lines that compute before loads, and those before what stands for the whole kernel", () => {
    const order = (rows: [number[], string][], nodes: number[]) => {
      const [map, lines] = [rows.map(([ids]) => ids), rows.map(([, text]) => text)];
      const lit = litLines(map, chosen(nodes));
      return closestFirst(lit, closeness(map, lines.join("\n"), lit)).map((at) => lines[at - 1]);
    };
    const triton: [number[], string][] = [
      [[-33, -32, -31, 2, 3], "def k2_matmul_add_logistic("],
      [[], "    in_b_ptr,"],
      [[2], "    v2 = tl.load(in_b_ptr + column)"],
      [[-31, 2], "    v3 = v1 + v2"],
      [[-32, 3], "    v4 = tl.sigmoid(v3)"],
    ];
    expect(order(triton, [3])).toEqual(["    v4 = tl.sigmoid(v3)", "def k2_matmul_add_logistic("]);
    expect(order(triton, [2])).toEqual([
      "    v3 = v1 + v2",
      "    v2 = tl.load(in_b_ptr + column)",
      "def k2_matmul_add_logistic(",
    ]);
    // A kernel of one operation stands for no more than its line does.
    const ptx: [number[], string][] = [
      [[-32, 3], "\tld.param.b64 \t%rd5, [k0_logistic_param_0];"],
      [[-32, 3], "\tex2.approx.f32 \t%r550, %r549;"],
    ];
    expect(order(ptx, [3])[0]).toContain("ex2.approx");
  });

  it("maps the snippet's lines, leaving operations without a place out", () => {
    const nodes = [
      { id: 1, op: "add", line: 3, column: 1 },
      { id: 2, op: "mul", line: 3, column: 5 },
      { id: 3, op: "neg", line: null, column: null },
    ];
    expect(sourceMap(nodes as CapturedOp[])).toEqual([[], [], [1, 2]]);
  });
});

describe("hues", () => {
  const kernels = [kernel("a", [1, 2]), kernel("b", [2, 3])];

  it("gives an operation the hues of all its kernels", () => {
    expect(huesOf(kernels).get(2)).toEqual([0, 1]);
  });

  it("paints each line with its kernels", () => {
    expect(lineHues(MAP, huesOf(kernels))).toEqual([[], [0], [0, 1], [1]]);
  });

  it("paints a text of one kernel in that kernel's hue only", () => {
    expect(lineHues(MAP, huesOf(kernels), 1)).toEqual([[], [1], [1], [1]]);
  });

  it("begins again after the last hue", () => {
    const many = Array.from({ length: 9 }, (_, i) => kernel(`k${i}`, [i]));
    expect(hueOfKernel(many, "k8", new Set(["whole"]))).toBe(0);
    expect(hueOfKernel(many, "other", new Set(["whole"]))).toBeNull();
  });
});
