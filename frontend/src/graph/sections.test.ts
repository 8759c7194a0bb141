import { describe, expect, it } from "vitest";
import type { CapturedOp } from "../wire";
import { drawingOf } from "./drawing";
import { parseIr } from "./irtext";
import { MOST_SECTIONS, sectionGrouping } from "./sections";

const chain = (length: number): string =>
  [
    "graph f(%0: f32[8]) {",
    ...Array.from({ length }, (_, at) => `  %${at + 1} = tanh(%${at}) : f32[8]`),
    `  return %${length}`,
    "}",
  ].join("\n");

const captured = (lines: readonly (number | null)[]): CapturedOp[] =>
  lines.map((line, id) => ({
    id,
    op: "tanh",
    line,
    column: null,
    graph: "whole",
    reads: [],
    scope: "",
    end: null,
  }));

/** A chain whose operations come from these lines. */
function sections(lines: readonly (number | null)[]) {
  const nodes = [[], ...lines.map((_, id) => [id])];
  const graph = parseIr(chain(lines.length), nodes)!;
  const grouping = sectionGrouping(graph, { name: "f", nodes: captured(lines) });
  return { grouping, drawing: drawingOf(graph, grouping, { views: true, inputs: true }) };
}

describe("sectionGrouping", () => {
  it("has what a line computes at a time as one, and again where the line comes again", () => {
    const { grouping } = sections([3, 3, 4, 3]);
    expect(grouping.hulls.map(({ label }) => label)).toEqual([
      "line 3 · 2 operations",
      "line 4 · 1 operation",
      "line 3 · 1 operation",
    ]);
  });

  it("leaves what no line is known of with what is before it", () => {
    expect(sections([3, null, 4]).grouping.hulls.map(({ nodes }) => nodes)).toEqual([[0, 1], [2]]);
  });

  it("has no more sections than can be read, and none that reads a later one", () => {
    const many = Array.from({ length: 3 * MOST_SECTIONS }, (_, at) => at % 2);
    const { grouping, drawing } = sections(many);
    expect(grouping.hulls.length).toBe(MOST_SECTIONS);
    const places = new Map(drawing.boxes.map(({ id, hull }) => [id, hull]));
    const order = grouping.hulls.map(({ id }) => id);
    for (const { from, to } of drawing.lines) {
      const [start, end] = [places.get(from), places.get(to)];
      if (start && end) expect(order.indexOf(start)).toBeLessThanOrEqual(order.indexOf(end));
    }
  });
});
