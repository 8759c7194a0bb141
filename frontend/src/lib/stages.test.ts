import { describe, expect, it } from "vitest";
import type { Artifact, Stage } from "../wire";
import { paneOfStage } from "./artifacts";
import { countLines } from "./linecount";
import { byGraph, firstLook, groupsOf, moved, rows, reportedCount } from "./stages";

const ir = (name: string, text: string) =>
  ({ name, kind: "ir", text, nodes: [] }) as unknown as Artifact;

const stage = (name: string, change: Partial<Stage> = {}): Stage => ({
  name,
  status: "ok",
  ms: 1,
  artifacts: [],
  kind: "pass",
  changed: true,
  summary: "",
  rewrites: [],
  graph: "whole",
  backend: "",
  compiler: "",
  parent: "",
  placement: null,
  tables: [],
  added: null,
  removed: null,
  ...change,
});

const simplify = stage("simplify", {
  artifacts: [ir("before", "a\nb\nc"), ir("after", "a\nc\nd")],
});
const idle = stage("idle", { changed: false });
const list = [
  stage("capture", { artifacts: [ir("ir", "a")] }),
  simplify,
  idle,
  stage("fuse", { kind: "fuse" }),
];

describe("stage list", () => {
  it("dims a pass that changed nothing, and leaves it out on request", () => {
    expect(rows(list, false).map((row) => row.dimmed)).toEqual([false, false, true, false]);
    expect(rows(list, true).map((row) => row.index)).toEqual([0, 1, 3]);
  });

  it("never dims a failure", () => {
    expect(rows([stage("x", { status: "failed", changed: false })], true)).toHaveLength(1);
  });

  it("walks over hidden rows and stays inside the list", () => {
    const shown = rows(list, true);
    const keyed = shown.map(({ index }) => ({ key: String(index) }));
    expect(moved(keyed, "1", 1)?.key).toBe("3");
    expect(moved(keyed, "3", 1)?.key).toBe("3");
    expect(moved(keyed, "0", -1)?.key).toBe("0");
  });

  it("looks first at the last pass that changed the IR", () => {
    expect(firstLook(list)).toBe(1);
  });

  it("counts the lines that a pass added and removed", () => {
    expect(countLines(simplify)).toEqual({ added: 1, removed: 1 });
    expect(countLines(idle)).toBeNull();
  });

  it("takes the counts that a stage brings, which needs no texts", () => {
    expect(reportedCount(stage("fold", { added: 3, removed: 0 }))).toEqual({
      added: 3,
      removed: 0,
    });
  });

  it("counts lines at the end of the text", () => {
    const grown = stage("grow", { artifacts: [ir("before", "a"), ir("after", "a\nb\nc")] });
    expect(countLines(grown)).toEqual({ added: 2, removed: 0 });
  });
});

describe("the pane of a stage", () => {
  const triton = { name: "k", kind: "triton" } as Artifact;

  it.each([
    [simplify, "ir"],
    [stage("triton", { kind: "codegen", artifacts: [triton] }), "triton"],
    [stage("fuse", { kind: "fuse" }), "fusion"],
    [stage("inductor", { kind: "reference", artifacts: [triton] }), "reference"],
  ])("is where its result is shown", (stage, pane) => {
    expect(paneOfStage(stage)).toBe(pane);
  });
});

describe("stages of several graphs", () => {
  const of = (graph: string, name = "pass") => stage(name, { graph });
  const mixed = [of("a"), of("a"), of("b"), of("whole")];

  it("stand together by graph, in the graphs' order", () => {
    const listed = ["whole", "b", "a", "b", "a", "whole"].map((graph) => of(graph));
    const list = byGraph(rows(listed, false), ["a", "b"]);
    expect(list.map(({ index }) => index)).toEqual([0, 2, 4, 1, 3, 5]);
  });

  it("stay as they came where the program is one graph", () => {
    const listed = rows([of("whole", "x"), of("whole", "y")], false);
    expect(byGraph(listed, [])).toEqual(listed);
  });

  it("are cut where the graph changes", () => {
    expect(groupsOf(rows(mixed, false)).map((group) => group.length)).toEqual([2, 1, 1]);
  });

  it("keep their places when others are left out", () => {
    const shown = rows(mixed, false, ({ graph }) => graph === "b");
    expect(shown.map(({ index }) => index)).toEqual([2]);
  });

  it("are first looked at where the program begins", () => {
    const changed = ["a", "a", "b"].map((graph) => ({ ...simplify, graph }));
    expect(firstLook([of("a"), ...changed])).toBe(2);
  });

  it("are first looked at among those that are shown", () => {
    const changed = [{ ...simplify, graph: "a" }, { ...simplify, graph: "b" }, of("a")];
    expect(firstLook(changed, ({ graph }) => graph === "a")).toBe(0);
    expect(firstLook([of("a"), of("b")], ({ graph }) => graph === "b")).toBe(1);
  });
});
