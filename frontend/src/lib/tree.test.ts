import { describe, expect, it } from "vitest";
import type { Artifact, Stage } from "../wire";
import { rows } from "./stages";
import { compilersOf, countsOf, pathTo, visible, type TreeRow } from "./tree";

const side = (name: string) => ({ name, kind: name, text: name, nodes: [] }) as unknown as Artifact;

const stage = (name: string, parent = "", change: Partial<Stage> = {}): Stage =>
  ({
    name,
    parent,
    status: "ok",
    ms: 0,
    artifacts: [side("before"), side("after")],
    kind: "insides",
    changed: true,
    summary: "",
    graph: "whole",
    backend: "",
    compiler: "xla",
    tables: [],
    ...change,
  }) as unknown as Stage;

const treeOf = (...stages: Stage[]): TreeRow[] => compilersOf(rows(stages, false));

/** The tree in one line: "XLA(passes(dce))". */
const drawn = (tree: readonly TreeRow[]): string =>
  tree
    .map(({ title, children }) => (children.length > 0 ? `${title}(${drawn(children)})` : title))
    .join(" ");

const end = stage("insides", "", { artifacts: [] });

describe("the tree of other compilers' stages", () => {
  it("leaves the core's and the timed compilations' stages out", () => {
    const core = stage("fuse", "", { kind: "fuse", compiler: "" });
    const timed = stage("xla", "", { kind: "reference" });
    expect(treeOf(core, timed)).toEqual([]);
  });

  it("says the graph of a stage where it is not that of the row above", () => {
    const of = (graph: string) => ({ graph });
    const list = [
      stage("forward", "", of("forward0")),
      stage("hlo", "forward", of("forward0")),
      stage("dce", "hlo", of("forward0")),
      stage("why"),
      end,
    ];
    const [heading] = treeOf(...list);
    const every = (row: TreeRow): TreeRow[] => [row, ...row.children.flatMap(every)];
    const said = every(heading!).filter(({ ofOtherGraph }) => ofOtherGraph);
    expect(said.map(({ title }) => title)).toEqual(["forward"]);
  });

  it("hangs each stage below its parent, and that below the compiler", () => {
    const list = [
      stage("hlo"),
      stage("passes"),
      stage("dce", "passes"),
      stage("cse", "passes"),
      end,
    ];
    expect(drawn(treeOf(...list))).toBe("XLA(hlo passes(dce cse))");
  });

  it("keeps the places that addresses name", () => {
    const list = [stage("capture", "", { kind: "capture", compiler: "" }), stage("dce"), end];
    const [heading] = treeOf(...list);
    expect(heading!.index).toBe(2);
    expect(heading!.children[0]!.index).toBe(1);
  });

  it("has a row for a parent that is not there yet", () => {
    const [heading] = treeOf(stage("dce", "passes"));
    expect(drawn([heading!])).toBe("XLA(passes(dce))");
    expect([heading!.index, heading!.children[0]!.index]).toEqual([null, null]);
  });

  it("keeps a row's key when the parent comes", () => {
    const child = stage("dce", "passes");
    const before = treeOf(child)[0]!.children[0]!;
    const after = treeOf(child, stage("passes"))[0]!.children[0]!;
    expect(after.key).toBe(before.key);
    expect(after.index).toBe(1);
  });

  it("tells apart stages of one name, and those of other graphs", () => {
    const list = [stage("dce"), stage("dce"), stage("dce", "", { graph: "g1" })];
    const keys = treeOf(...list)[0]!.children.map(({ key }) => key);
    expect(new Set(keys).size).toBe(3);
  });

  it("keeps stages that name each other as their parents", () => {
    expect(drawn(treeOf(stage("a", "b"), stage("b", "a"), stage("c", "c")))).toBe("XLA(b(a) c)");
  });

  it("shows what is below the open rows alone", () => {
    const tree = treeOf(stage("passes"), stage("dce", "passes"), end);
    const titles = (...open: string[]) => visible(tree, new Set(open)).map(({ title }) => title);
    const [heading] = tree;
    expect(titles()).toEqual(["XLA"]);
    expect(titles(heading!.key)).toEqual(["XLA", "passes"]);
    expect(titles(heading!.key, heading!.children[0]!.key)).toEqual(["XLA", "passes", "dce"]);
  });

  it("finds the way to a stage", () => {
    const tree = treeOf(stage("passes"), stage("dce", "passes"), end);
    expect(pathTo(tree, 1).map(({ title }) => title)).toEqual(["XLA", "passes", "dce"]);
    expect(pathTo(tree, 7)).toEqual([]);
  });

  it("counts passes, and those that changed the module", () => {
    const idle = stage("idle", "", { changed: false, artifacts: [] });
    expect(countsOf(treeOf(stage("dce"), idle, end)[0]!)).toBe("2 passes, 1 changed the module");
    const text = stage("hlo", "", { artifacts: [side("hlo")] });
    expect(countsOf(treeOf(stage("dce"), text)[0]!)).toBe("2 stages");
  });
});
