import { describe, expect, it } from "vitest";
import { EMPTY_PROGRAM, type Kernel, type Program } from "../wire";
import { hueOfKernel, huesOf, lineHues, litLines, nodesOfLine, sourceMap } from "./linemap";

const MAP = [[], [1], [1, 2], [3]];

const kernel = (id: string, nodes: number[]): Kernel =>
  ({ id, nodes, graph: "whole" }) as unknown as Kernel;

describe("line map", () => {
  it("lights every line that shares an operation", () => {
    expect(litLines(MAP, new Set([1]))).toEqual([2, 3]);
  });

  it("lights nothing for an empty selection", () => {
    expect(litLines(MAP, new Set())).toEqual([]);
  });

  it("knows the operations of a line, and none of a line beyond the map", () => {
    expect([...nodesOfLine(MAP, 3)]).toEqual([1, 2]);
    expect([...nodesOfLine(MAP, 9)]).toEqual([]);
  });

  it("maps the snippet's lines, leaving operations without a place out", () => {
    const nodes = [
      { id: 1, op: "add", line: 3, column: 1 },
      { id: 2, op: "mul", line: 3, column: 5 },
      { id: 3, op: "neg", line: null, column: null },
    ];
    expect(sourceMap({ ...EMPTY_PROGRAM, nodes } as Program)).toEqual([[], [], [1, 2]]);
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
