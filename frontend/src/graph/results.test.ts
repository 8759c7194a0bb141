import { expect, it } from "vitest";
import { drawingOf } from "./drawing";
import { parseIr } from "./irtext";
import { UNGROUPED } from "./parts";
import { resultsTogether } from "./results";

const graph = parseIr(
  [
    "graph f(%0: f32[8]) {",
    "  %1 = tanh(%0) : f32[8]",
    "  %2 = exponential(%1) : f32[8]",
    "  return %2, %1, %1, %1",
    "}",
  ].join("\n"),
  [[], [0], [1], []],
)!;

it("the results of one operation are one box, and those of another stay for themselves", () => {
  const drawing = drawingOf(graph, UNGROUPED, { views: true, inputs: false });
  const { boxes, lines } = resultsTogether(drawing);
  expect(boxes.map(({ label, detail }) => [label, detail])).toEqual([
    ["tanh", "f32[8]"],
    ["exponential", "f32[8]"],
    ["result 0", "f32[8]"],
    ["3 results", "f32[8]\u00a0×3"],
  ]);
  expect(lines.map(({ from, to, bytes }) => [from, to, bytes])).toEqual([
    ["/1", "/2", 32],
    ["/2", "out/0", 32],
    ["/1", "out/1", 96],
  ]);
});
