import { describe, expect, it } from "vitest";
import { edgeOf } from "./edges";
import type { Box, Line } from "./parts";

const box = (id: string, label: string, value: number): Box => ({
  id,
  kind: "operation",
  label,
  detail: "f32[8]",
  hull: "k0",
  nodes: [value],
  value,
  isAgain: false,
  hue: null,
});

const line = (from: string, to: string): Line => ({
  id: `${from}→${to}`,
  from,
  to,
  bytes: 32,
  through: [],
  reasons: [],
  isApart: false,
});

describe("what may be decided of an edge", () => {
  const boxes = [box("a", "add 2.0", 1), box("b", "multiply", 2), box("i", "iota", 3)];
  const drawing = { boxes, lines: [], hulls: [] };
  const names = new Map([
    [1, "0.add"],
    [2, "1.multiply"],
    [3, "2.iota"],
  ]);

  it("is whether two operations share a kernel", () =>
    expect(edgeOf(drawing, line("a", "b"), names)).toEqual({
      from: "0.add",
      to: "1.multiply",
      isFused: true,
    }));

  it("is nothing where one end is an index that no kernel computes", () =>
    expect(edgeOf(drawing, line("i", "b"), names)).toBeNull());
});
