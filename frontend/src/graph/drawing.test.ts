import { describe, expect, it } from "vitest";
import type { FusionRefusal, Kernel } from "../wire";
import { collapsed } from "./collapse";
import { drawingOf } from "./drawing";
import { UNGROUPED } from "./parts";
import { parseIr } from "./irtext";
import { kernelGrouping } from "./kernels";
import { fromElk, pathOf, toElk } from "./layout";
import { matches, neighbour, widthOf } from "./look";

const TEXT = `graph f(%0: f32[8,1024], %1: f32[1024]) {
  %2 = broadcast_in_dim(%1) {dimensions = (1)} : f32[8,1024]
  %3 = add(%0, %2) : f32[8,1024]
  %4 = constant() {value = 0.7071067811865476} : f32[8,1024]
  %5 = multiply(%3, %4) : f32[8,1024]
  %6 = reshape(%5) : f32[8192]
  %7 = tanh(%6) : f32[8192]
  %8 = subtract(%7, %6) : f32[8192]
  return %8
}
`;
const graph = parseIr(TEXT, [[], [0], [0], [1], [1], [2], [3], [4], [], []])!;

const kernel = (id: string, values: number[], change: Partial<Kernel> = {}): Kernel => ({
  id,
  kind: "elementwise",
  library: null,
  ops: ["add"],
  bytes_read: 32768,
  bytes_written: 32768,
  lines: [],
  nodes: [0],
  flops: 0,
  reason: "",
  graph: "whole",
  backend: "cpu",
  schedule: null,
  candidates: [],
  chosen_with: [],
  same_as: "",
  result: "",
  values,
  ...change,
});

const refusal = (from: number | null, to: number | null, reason: string): FusionRefusal => ({
  from: "",
  to: "",
  reason,
  nodes: [],
  graph: "whole",
  backend: "cpu",
  from_value: from,
  to_value: to,
  named: {},
  kind: "",
});

// %5 is computed in both; %7 reads it through a view in k1.
const KERNELS = [kernel("k0_add", [2, 3, 4, 5]), kernel("k1_tanh", [4, 5, 6, 7, 8])];
const plain = (text: string) => text.replaceAll("\u00a0", " ");

const draw = (refusals: FusionRefusal[] = [], kernels = KERNELS, views = false) =>
  drawingOf(graph, kernelGrouping({ kernels, refusals, hueOf: () => 3, costOf: () => 4.2 }), {
    views,
    inputs: true,
  });

describe("a drawing", () => {
  it("has a hull for each kernel, with its kind, bytes and time", () => {
    const { hulls } = draw();
    expect(hulls.map(({ label }) => plain(label))).toEqual([
      "k0 · elementwise · 64.0 KiB · 4.20 µs",
      "k1 · elementwise · 64.0 KiB · 4.20 µs",
    ]);
    expect(hulls.map(({ hue }) => hue)).toEqual([3, 3]);
  });

  it("has each operation in every kernel that computes it", () => {
    const { boxes } = draw();
    expect(boxes.map(({ id, label, isAgain }) => [id, label, isAgain])).toEqual([
      ["/0", "%0", false],
      ["/1", "%1", false],
      ["k0_add/3", "add", false],
      ["k0_add/5", "multiply 0.7071", false],
      ["k1_tanh/5", "multiply 0.7071", true],
      ["k1_tanh/7", "tanh", false],
      ["k1_tanh/8", "subtract", false],
      ["out/0", "result", false],
    ]);
  });

  it("has lines of what is read, past the views, with the fewer bytes", () => {
    const { lines } = draw();
    const line = (id: string) => lines.find((each) => each.id === id);
    expect(line("/1→k0_add/3")).toMatchObject({
      bytes: 4096,
      through: ["broadcast_in_dim f32[8,1024]"],
    });
    expect(line("k0_add/3→k1_tanh/5")?.bytes).toBe(32768);
    expect(line("k1_tanh/5→k1_tanh/7")?.through).toEqual(["reshape f32[8192]"]);
    expect(line("k1_tanh/8→out/0")).toBeDefined();
  });

  it("has views as boxes where they are asked for, or where a kernel is nothing else", () => {
    expect(draw([], KERNELS, true).boxes.map(({ id }) => id)).toContain("k1_tanh/6");
    const copies = [kernel("k0_add", [2, 3, 4, 5]), kernel("k1", [6]), kernel("k2", [7, 8])];
    expect(draw([], copies).boxes.map(({ id }) => id)).toContain("k1/6");
  });

  it("says at the line between two kernels why they are two", () => {
    const { lines } = draw([refusal(3, 5, "too large"), refusal(3, 7, "far")]);
    const refused = lines.filter(({ reasons }) => reasons.length > 0);
    expect(refused.map(({ id, reasons }) => [id, reasons])).toEqual([
      ["k0_add/3→k1_tanh/5", ["too large", "far"]],
    ]);
  });

  it("has a line of its own for a refusal of two that read nothing of each other", () => {
    const kernels = [kernel("k0", [2, 3]), kernel("k1", [4, 5, 6]), kernel("k2", [7, 8])];
    const { lines } = draw([refusal(3, 8, "siblings"), refusal(null, null, "launches")], kernels);
    expect(lines.filter(({ isApart }) => isApart)).toMatchObject([
      { from: "k0/3", to: "k2/8", reasons: ["siblings"], bytes: null },
    ]);
  });

  it("has, in a report from before values were told, the kernels of the captured operations", () => {
    const kernels = [kernel("k0", [], { nodes: [0, 1] }), kernel("k1", [], { nodes: [1, 3, 4] })];
    const inside = draw([], kernels).boxes.filter(({ hull }) => hull !== null);
    expect(inside.map(({ label, hull }) => [label, hull])).toEqual([
      ["add", "k0"],
      ["multiply 0.7071", "k0"],
      ["tanh", "k1"],
      ["subtract", "k1"],
    ]);
  });

  it("has no hulls before anything is fused", () => {
    const { hulls, boxes } = drawingOf(graph, UNGROUPED, { views: false, inputs: false });
    expect(hulls).toEqual([]);
    expect(boxes.every(({ hull }) => hull === null)).toBe(true);
  });
});

describe("a closed kernel", () => {
  const drawing = collapsed(draw([refusal(3, 5, "too large")]), (hull) => hull === "k0_add");

  it("is one box, with what is in it", () => {
    const box = drawing.boxes.find(({ kind }) => kind === "hull");
    expect(box).toMatchObject({ id: "k0_add", detail: "add, multiply", hue: 3 });
    expect(drawing.hulls.map(({ id }) => id)).toEqual(["k1_tanh"]);
  });

  it("keeps the lines that leave it, with their reasons", () => {
    const leaving = drawing.lines.filter(({ from }) => from === "k0_add");
    expect(leaving).toMatchObject([{ to: "k1_tanh/5", bytes: 32768, reasons: ["too large"] }]);
  });
});

describe("layout", () => {
  it("has boxes in their hulls and all lines at the root", () => {
    const elk = toElk(draw());
    expect(elk.children!.map(({ id }) => id)).toEqual(["k0_add", "k1_tanh", "/0", "/1", "out/0"]);
    expect(elk.children![0]!.children!.map(({ id }) => id)).toEqual(["k0_add/3", "k0_add/5"]);
    expect(elk.edges).toHaveLength(draw().lines.length);
  });

  it("gives every box and line its place", () => {
    const found = fromElk({
      id: "graph",
      width: 100,
      height: 50,
      children: [{ id: "h", x: 1, y: 2, width: 9, height: 9, children: [{ id: "b", x: 3, y: 4 }] }],
      edges: [
        {
          id: "e",
          sources: [],
          targets: [],
          sections: [{ id: "s", startPoint: { x: 0, y: 0 }, endPoint: { x: 0, y: 9 } }],
        },
      ],
    });
    expect(found.boxes.get("b")).toEqual({ x: 3, y: 4, width: 0, height: 0 });
    expect(found.hulls.get("h")?.width).toBe(9);
    expect(pathOf(found.lines.get("e")!)).toBe("M0 0L0 9");
  });

  it("rounds corners", () =>
    expect(
      pathOf([
        { x: 0, y: 0 },
        { x: 0, y: 20 },
        { x: 20, y: 20 },
      ]),
    ).toBe("M0 0L0 14Q0 20 6 20L20 20"));
});

describe("the look", () => {
  it("makes lines wider by the logarithm of their bytes, within limits", () =>
    expect([null, 100, 4096, 2 ** 20, 2 ** 34].map(widthOf)).toEqual([1, 1, 1, 5, 8]));

  it("finds boxes by every word", () => {
    const found = (text: string) => matches(draw(), text).map(({ id }) => id);
    expect(found("multiply k1")).toEqual(["k1_tanh/5"]);
    expect(found("%7")).toEqual(["k1_tanh/7"]);
    expect(found(" ")).toEqual([]);
  });

  it("goes to the nearest box in a direction", () => {
    const at = (x: number, y: number) => ({ x, y, width: 10, height: 10 });
    const boxes = new Map([
      ["a", at(0, 0)],
      ["b", at(0, 50)],
      ["c", at(40, 20)],
    ]);
    expect(neighbour(boxes, "a", "down")).toBe("b");
    expect(neighbour(boxes, "a", "right")).toBe("c");
    expect(neighbour(boxes, "a", "up")).toBeNull();
    expect(neighbour(boxes, "gone", "up")).toBe("a");
  });
});
