import { describe, expect, it } from "vitest";
import sample from "./fixtures/sample.json";
import type { Report, Stage } from "../wire";
import { artifactsFor, irAt, pick, type Shown } from "./artifacts";

const program = (sample.report as unknown as Report).programs[0]!;
const triton = artifactsFor("triton", program.stages);

const chosen = (nodes: number[]) => ({ nodes: new Set(nodes), values: new Set<number>() });

describe("artifacts of a pane", () => {
  it("orders the levels of one kernel: PTX first", () => {
    expect(artifactsFor("assembly", program.stages)[0]!.artifact.kind).toBe("ptx");
  });

  it("gives other compilers' texts to the reference pane alone", () => {
    const reference = artifactsFor("reference", program.stages);
    expect(reference.length).toBeGreaterThan(0);
    expect(reference.every(({ stage }) => stage.kind === "reference")).toBe(true);
    expect(artifactsFor("c", program.stages).every(({ stage }) => stage.kind !== "reference")).toBe(
      true,
    );
  });

  it("shows the text chosen by hand", () => {
    const nothing = chosen([]);
    expect(pick(triton, { key: triton[1]!.key, at: nothing }, nothing)).toBe(triton[1]);
  });

  it("follows the selection to the text that has it", () => {
    const last = triton.at(-1)!;
    const node = Math.max(...last.artifact.nodes.flat());
    const before = { key: triton[0]!.key, at: chosen([]) };
    expect(pick(triton, before, chosen([node]))).toBe(last);
  });

  it("shows another one that is chosen while something is selected", () => {
    const selection = chosen([Math.max(...triton.at(-1)!.artifact.nodes.flat())]);
    expect(pick(triton, { key: triton[0]!.key, at: selection }, selection)).toBe(triton[0]);
  });

  it("follows a value to the text that computes it, of several that have the operation", () => {
    const text = (key: string, ids: number[]): Shown => ({
      ...triton[0]!,
      key,
      artifact: { ...triton[0]!.artifact, stored: null, nodes: [ids] },
    });
    const [first, second] = [text("first", [-8, 3]), text("second", [-9, 3])];
    const selection = { nodes: new Set([3]), values: new Set([-9]) };
    expect(pick([first, second], { key: "first", at: chosen([]) }, selection)).toBe(second);
  });

  it("stays where it is when no text has the selection", () => {
    expect(pick(triton, undefined, chosen([987]))).toBe(triton[0]);
  });

  it("knows the IR at a stage that has none of its own", () => {
    const after = program.stages.findLast((stage) =>
      stage.artifacts.some((a) => a.name === "after"),
    )!;
    const text = after.artifacts.find((artifact) => artifact.name === "after")!.text;
    expect(irAt(program.stages, program.stages.length - 1)?.text).toBe(text);
  });
});

describe("texts of several graphs", () => {
  const [stage] = program.stages.filter(({ artifacts }) => artifacts.some((a) => a.kind === "ir"));
  const ir = (graph: string, text: string): Stage => ({
    ...stage!,
    graph,
    artifacts: [{ ...stage!.artifacts[0]!, name: "after", kind: "ir", text }],
  });

  it("have keys of their own though they have the same name", () => {
    const both = program.stages.map((s) => ({ ...s, graph: "other" }));
    const keys = artifactsFor("triton", [...program.stages, ...both]).map(({ key }) => key);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it("stay apart: the IR at a stage is that of its own graph", () => {
    const idle: Stage = { ...stage!, graph: "a", artifacts: [] };
    expect(irAt([ir("a", "of a"), ir("b", "of b"), idle], 2)?.text).toBe("of a");
  });

  it("give a stage of the whole program the last IR of all", () => {
    const last: Stage = { ...stage!, graph: "whole", artifacts: [] };
    expect(irAt([ir("a", "of a"), ir("b", "of b"), last], 2)?.text).toBe("of b");
  });
});
