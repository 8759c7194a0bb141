import { describe, expect, it } from "vitest";
import { alikeOf } from "./alike";
import type { Entry } from "./why";

const entry = (what: string, change: Partial<Entry> = {}): Entry => ({
  kind: "not fused",
  compiler: "core",
  category: "",
  what,
  why: "",
  remedy: "",
  line: null,
  column: null,
  stack: [],
  nodes: [],
  bytes: null,
  us: null,
  compile_ms: null,
  count: 1,
  raw: "",
  trial: null,
  graph: "whole",
  ...change,
});

describe("entries that are alike", () => {
  it("are one for all blocks of a model, whatever their values and kernels are called", () => {
    const edge = (value: number, kernel: number): Entry =>
      entry(`%${value} dot_general (k${kernel}_matmul) → %${value + 2} add`, {
        own: `k${kernel + 1}_add is considered as one launch with k${kernel}_matmul`,
        nodes: [value],
      });
    const other = entry("%94 reshape (k8_attention) → %98 dot_general", { nodes: [94] });
    const found = alikeOf([edge(36, 2), other, edge(180, 16), edge(324, 30)]);
    expect(found.map(({ all, nodes }) => [all.length, nodes])).toEqual([
      [3, [36, 180, 324]],
      [1, [94]],
    ]);
    expect(found[0]!.first.what).toBe("%36 dot_general (k2_matmul) → %38 add");
  });

  it("are one for all lines at which the same happens", () => {
    const at = (line: number) => entry("the graph breaks here", { line });
    expect(alikeOf([at(3), at(5), at(9)]).map(({ all }) => all.length)).toEqual([3]);
  });

  it("are not those that other lines led to, or of other shapes", () => {
    const found = alikeOf([
      entry("it breaks", { stack: [3] }),
      entry("it breaks", { stack: [4] }),
      entry("f32[8] is copied"),
      entry("f32[16] is copied"),
    ]);
    expect(found).toHaveLength(4);
  });
});
