import { describe, expect, it } from "vitest";
import type { CapturedOp } from "../wire";
import { collapsed, isLarge } from "./collapse";
import { drawingOf } from "./drawing";
import { parseIr } from "./irtext";
import { framed, hasModules, homesOf, pathsOf } from "./modules";
import { equalOnce } from "./repeats";
import { sectionGrouping } from "./sections";

const BLOCKS = 12;
const PARTS = ["norm", "attention", "attention", "attention", "mlp", "mlp"];

/** A model of equal blocks between an embedding and a head, as a chain of operations. */
const scopes = [
  "GPT",
  "GPT/tokens",
  ...Array.from({ length: BLOCKS }, (_, block) =>
    PARTS.map((part) => `GPT/blocks/${block}/${part}`),
  ).flat(),
  "GPT/norm",
  "GPT/norm",
  "GPT/head",
];
const captured = scopes.map((scope, id): CapturedOp => ({
  id,
  op: "tanh",
  line: 7,
  column: null,
  graph: "whole",
  reads: [],
  scope,
  end: null,
}));
const graph = parseIr(
  [
    "graph f(%0: f32[8]) {",
    ...scopes.map((_, at) => `  %${at + 1} = tanh(%${at}) : f32[8]`),
    `  return %${scopes.length}`,
    "}",
  ].join("\n"),
  [[], ...scopes.map((_, id) => [id])],
)!;

const program = { name: "f", nodes: captured };
const grouping = sectionGrouping(graph, program);
const whole = drawingOf(graph, grouping, { views: true, inputs: false });
const homes = homesOf(whole.hulls, pathsOf(program));

describe("a model of equal blocks", () => {
  it("is in sections by the modules that its operations are called in", () =>
    expect(grouping.hulls.slice(0, 4).map(({ label }) => label)).toEqual([
      "GPT · 1 operation",
      "tokens · 1 operation",
      "blocks/0/norm · 1 operation",
      "blocks/0/attention · 3 operations",
    ]));

  it("has its blocks once, called by the first and the last", () => {
    const once = framed(equalOnce(whole, homes), homes);
    expect(once.hulls.filter(({ isFrame }) => isFrame).map(({ label }) => label)).toEqual([
      "blocks/0…11 × 12",
    ]);
  });

  it("can be read whole when its blocks are closed", () => {
    const once = framed(equalOnce(whole, homes), homes);
    const { boxes, lines, hulls } = collapsed(once, () => true);
    expect(boxes.map(({ label }) => label.split(" · ")[0])).toEqual([
      "GPT",
      "tokens",
      "blocks/0…11 × 12",
      "norm",
      "head",
      "result",
    ]);
    expect(boxes[2]).toMatchObject({ kind: "hull", detail: "norm, attention, mlp" });
    expect(boxes[2]!.nodes).toHaveLength(BLOCKS * PARTS.length);
    expect(lines).toHaveLength(boxes.length - 1);
    expect(hulls).toEqual([]);
  });

  it("opens a block with its parts, each closed for itself", () => {
    const once = framed(equalOnce(whole, homes), homes);
    const frame = once.hulls.find(({ isFrame }) => isFrame)!.id;
    const opened = collapsed(once, (hull) => hull !== frame);
    expect(opened.hulls.map(({ id }) => id)).toEqual([frame]);
    expect(opened.boxes.filter(({ hull }) => hull === frame)).toHaveLength(3);
  });

  it("has a frame for each block where equal ones are not drawn once", () => {
    const each = framed(whole, homes);
    expect(each.hulls.filter(({ isFrame }) => isFrame).map(({ label }) => label)).toEqual(
      Array.from({ length: BLOCKS }, (_, block) => `blocks/${block}`),
    );
    expect(isLarge(each)).toBe(true);
    expect(isLarge(whole)).toBe(false);
  });
});

describe("a step that calls functions", () => {
  const paths = (...scopes: string[]) =>
    pathsOf({
      name: "step",
      nodes: scopes.map((scope, id) => ({ ...captured[0]!, id, scope, line: id })),
    });
  const blocks = Array.from({ length: BLOCKS }, (_, at) => `step/loss/block/${at}`);

  it("has its parts called by what they are in most of it", () => {
    const found = paths("step", "step/loss/embed", ...blocks, "step/loss", "step");
    expect([...found.values()].map((path) => path.join("/"))).toEqual([
      "step",
      "embed",
      ...Array.from({ length: BLOCKS }, (_, at) => `block/${at}`),
      "",
      "step",
    ]);
  });

  it("keeps its rounds apart where one of them is most of it", () => {
    const found = paths("mlp/0", "mlp/1", "mlp/1", "mlp/1");
    expect([...found.values()].map((path) => path.join("/"))).toEqual([
      "mlp/0",
      "mlp/1",
      "mlp/1",
      "mlp/1",
    ]);
  });

  it("has what no module calls by its own name", () => {
    const found = paths(...blocks, "", "");
    expect([...found.values()].slice(-2)).toEqual([["step"], ["step"]]);
  });

  it("has none where no operation is in a module", () =>
    expect([...paths("", "").values()]).toEqual([[], []]));

  it("has gradients that autograd adds up with what they are added to", () => {
    const scopes = ["blocks/0", "blocks/1", "", "blocks/1", "blocks/1", "", "blocks/0"];
    const lines = [7, 7, 9, 7, 7, 7, 7];
    const nodes = scopes.map((scope, id) => ({
      ...captured[0]!,
      op: "aten.add.Tensor",
      id,
      scope,
      line: lines[id]!,
    }));
    const found = pathsOf({ name: "loss", nodes });
    expect([...found.values()].map((path) => path.join("/"))).toEqual([
      "blocks/0",
      "blocks/1",
      "loss",
      "blocks/1",
      "blocks/1",
      "blocks/1",
      "blocks/0",
    ]);
  });

  it("is told apart by them where not most is in one", () => {
    expect(hasModules(paths("step", ...blocks))).toBe(true);
    expect(hasModules(paths("step", "step/loss", "step/loss", "step/loss"))).toBe(false);
    expect(hasModules(paths("f", "f"))).toBe(false);
  });
});
