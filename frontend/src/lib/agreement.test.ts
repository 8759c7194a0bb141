import { describe, expect, it } from "vitest";
import {
  EMPTY_PROGRAM,
  type CapturedOp,
  type CompilerSummary,
  type Figure,
  type FusionDecision,
  type FusionRefusal,
  type Kernel,
  type Program,
  type Stage,
} from "../wire";
import { agreement, compared, edgesOf, isDisputed, savedBy } from "./agreement";
import { ALL } from "./plans";
import type { ExplainedRow } from "./table";

const node = (id: number, ...reads: [node: number, bytes: number][]): CapturedOp => ({
  id,
  op: `op${id}`,
  line: id + 1,
  column: 0,
  graph: "whole",
  scope: "",
  end: null,
  reads: reads.map(([from, bytes]) => ({ node: from, bytes })),
});

const kernel = (id: string, ...nodes: number[]): Kernel =>
  ({ id, nodes, library: null, backend: "cpu", graph: "whole", same_as: "" }) as unknown as Kernel;

const decision = (
  from_nodes: number[],
  to_nodes: number[],
  fused: boolean,
  reason = "",
  compiler = "xla",
): FusionDecision => ({
  compiler,
  from: "a",
  to: "b",
  fused,
  reason,
  from_nodes,
  to_nodes,
  bytes: null,
  graph: "whole",
  backend: "",
});

/** 0 → 1 → 2. */
const program = (change: Partial<Program>): Program => ({
  ...EMPTY_PROGRAM,
  nodes: [node(0), node(1, [0, 64]), node(2, [1, 4096])],
  ...change,
});

const edges = (change: Partial<Program>, backend = ALL) => edgesOf(program(change), backend);

/** What `compiler` made of the edge that ends at `to`. */
const verdict = (change: Partial<Program>, to: number, compiler: string) =>
  edges(change)
    .find((edge) => edge.to === to)!
    .verdicts.get(compiler);

describe("the edges of the captured graph", () => {
  it("are those that the operations name, the largest first where nobody says anything", () => {
    expect(edges({}).map(({ from, to, bytes }) => [from, to, bytes])).toEqual([
      [1, 2, 4096],
      [0, 1, 64],
    ]);
  });

  it("go past views, which move nothing, with the bytes of what was computed", () => {
    // 0 is computed, 1 and 2 are views of it, 3 reads them; 4 is a view of an input.
    const nodes = [
      node(0),
      node(1, [0, 0]),
      node(2, [1, 0]),
      node(3, [2, 2400], [0, 64], [4, 0]),
      node(4),
    ];
    const reason = "node1 is extern";
    const found = edges({ nodes, fusion_decisions: [decision([0], [1, 2, 3], false, reason)] });
    expect(found.map(({ from, to, bytes }) => [from, to, bytes])).toEqual([
      [0, 3, 2400],
      [4, 3, 0],
    ]);
    expect(found[0]!.verdicts.get("xla")).toEqual({ state: "not fused", reason });
    expect(savedBy(found[0]!)).toBe(2400);
  });

  it("come in the order of what would be saved", () => {
    const kernels = [kernel("k0", 1, 2), kernel("k1", 0)];
    expect(edges({ kernels }).map((edge) => [edge.to, savedBy(edge)])).toEqual([
      [1, 64],
      [2, 0],
    ]);
  });
});

describe("what the core made of an edge", () => {
  it("is fused where one launch has both sides", () => {
    const kernels = [kernel("k0", 0, 1), kernel("k1", 2)];
    expect(verdict({ kernels }, 1, "core")).toEqual({ state: "fused", reason: "k0" });
  });

  it("is refused with the core's reason, else with the launches' names", () => {
    const kernels = [kernel("k0", 0), kernel("k1", 1), kernel("k2", 2)];
    const refusal = { from: "%0", to: "%1", reason: "another shape", nodes: [0, 1] };
    const fusion_refusals = [{ ...refusal, graph: "whole", backend: "cpu" } as FusionRefusal];
    const reason = (to: number) => verdict({ kernels, fusion_refusals }, to, "core")?.reason;
    expect([reason(1), reason(2)]).toEqual(["another shape", "k1, then k2"]);
  });

  it("is nothing where a side has no launch: it is a view, or was folded away", () => {
    expect(verdict({ kernels: [kernel("k0", 0, 2)] }, 1, "core")).toBeUndefined();
  });

  it("is that of the plan that is asked for", () => {
    const kernels = [kernel("k0", 0, 1), { ...kernel("g0", 0), backend: "gpu" }];
    kernels.push({ ...kernel("g1", 1), backend: "gpu" });
    const state = (backend: string) =>
      edges({ kernels }, backend)
        .find(({ to }) => to === 1)!
        .verdicts.get("core")?.state;
    expect([state("cpu"), state("gpu")]).toEqual(["fused", "not fused"]);
  });
});

describe("what another compiler made of an edge", () => {
  it("is what it decided of its two sides, in either direction", () => {
    const fusion_decisions = [
      decision([0], [1], true, "loop"),
      decision([2], [1], false, "no shared data"),
    ];
    expect(verdict({ fusion_decisions }, 1, "xla")).toEqual({ state: "fused", reason: "loop" });
    expect(verdict({ fusion_decisions }, 2, "xla")).toEqual({
      state: "not fused",
      reason: "no shared data",
    });
  });

  it("is partly fused where only some of its units are", () => {
    const fusion_decisions = [decision([0], [1], true), decision([0], [1], false, "too large")];
    expect(verdict({ fusion_decisions }, 1, "xla")).toEqual({
      state: "partly fused",
      reason: "too large",
    });
  });

  it("is fused where both are one unit of its work, unless it decided of the two", () => {
    const together = decision([0, 1], [2], false, "refused");
    expect(verdict({ fusion_decisions: [together] }, 1, "xla")?.state).toBe("fused");
    const apart = decision([0], [1], false);
    expect(verdict({ fusion_decisions: [together, apart] }, 1, "xla")?.state).toBe("not fused");
  });

  it("is left out where it says nothing", () => {
    expect(verdict({ fusion_decisions: [decision([0], [1], true)] }, 2, "xla")).toBeUndefined();
  });
});

it("an edge is disputed where not all that speak of it agree", () => {
  const kernels = [kernel("k0", 0, 1, 2)];
  const fusion_decisions = [decision([0], [1], false), decision([1], [2], true)];
  expect(edges({ kernels, fusion_decisions }).map((e) => [e.to, isDisputed(e)])).toEqual([
    [1, true],
    [2, false],
  ]);
});

const unknown: Figure = { value: null, why: "XLA does not say" };
const figures = (compiler: string): CompilerSummary => ({
  compiler,
  graphs: unknown,
  breaks: unknown,
  kernels: unknown,
  launches: unknown,
  library_calls: unknown,
  bytes: unknown,
  peak_bytes: unknown,
  phases: [],
});

describe("as tables", () => {
  const subject = program({
    kernels: [kernel("k0", 0, 1, 2)],
    fusion_decisions: [decision([0], [1], false, "too large")],
    compilers: [
      { ...figures("core"), launches: { value: 1, why: "" }, phases: [{ name: "fuse", ms: 2 }] },
    ],
    numerics: { xla: { max_abs_error: 1.2e-7, max_rel_error: 0, ok: true, rule: "", error: "" } },
  });

  it("one has a row for each edge and a column for each compiler", () => {
    const table = agreement(subject, edgesOf(subject, ALL));
    const titles = table.columns.map(({ title }) => title);
    expect(titles).toEqual(["From", "To", "Bytes", "Would save", "core", "XLA"]);
    expect(table.rows[0]).toEqual({
      cells: ["op0", "op1", 64, 64, "fused: k0", "not fused: too large"],
      why: ["", "", "", "", "", ""],
      nodes: [0, 1],
      line: 2,
    });
    expect(table.rows[1]!.cells.slice(2)).toEqual([4096, 0, "fused: k0", null]);
  });

  it("one has the compilers right beside the edge on a phone", () => {
    const table = agreement(subject, edgesOf(subject, ALL), true);
    const titles = table.columns.map(({ title }) => title);
    expect(titles).toEqual(["Edge", "core", "XLA", "Bytes", "Would save"]);
    expect(table.rows[0]!.cells).toEqual([
      "op0 → op1",
      "fused: k0",
      "not fused: too large",
      64,
      64,
    ]);
    const silent = table.rows[1]!;
    expect([silent.cells[2], silent.cells.slice(3)]).toEqual([null, [4096, 0]]);
    expect(silent.why[2]).toContain("view");
  });

  it("one says of a compiler that is silent why it may be", () => {
    const [, silent]: ExplainedRow[] = agreement(subject, edgesOf(subject, ALL)).rows;
    expect(silent!.why.at(-1)).toContain("view");
  });

  it("the other has a row for each compiler", () => {
    const { columns, rows } = compared(subject, edgesOf(subject, ALL));
    const cell = (row: number, title: string) =>
      rows[row]!.cells[columns.findIndex((column) => column.title === title)];
    expect(rows.map(({ cells }) => cells[0])).toEqual(["core", "XLA"]);
    expect([cell(0, "Edges fused"), cell(0, "Launches")]).toEqual([2, 1]);
    expect(cell(0, "Phases")).toBe("fuse 2.00\u00a0ms");
    const bytes = columns.findIndex(({ title }) => title === "Traffic");
    expect([rows[0]!.cells[bytes], rows[0]!.why[bytes]]).toEqual([null, "XLA does not say"]);
    expect([cell(1, "Not fused"), cell(1, "Error"), cell(1, "Launches")]).toEqual([
      1,
      "1.2e-7",
      null,
    ]);
  });

  const stage = (compiler: string, name: string, status: Stage["status"], summary = "") =>
    ({ compiler, name, status, summary, kind: "insides" }) as Stage;
  const rowsWith = (...stages: Stage[]) => {
    const change = { ...subject, stages };
    return compared(change, edgesOf(change, ALL)).rows;
  };

  it("the other leaves out what is looked into and has no figure", () => {
    expect(rowsWith(stage("stablehlo", "insides", "ok")).map(({ cells }) => cells[0])).toEqual([
      "core",
      "XLA",
    ]);
  });

  it("the other says of a compiler that refused the program what it said", () => {
    const refused: ExplainedRow[] = rowsWith(
      stage("inductor", "inductor", "skipped", "no rule for this"),
    );
    const row = refused.find(({ cells }) => cells[0] === "TorchInductor")!;
    expect(row.why.slice(1)).toEqual(row.cells.slice(1).map(() => "no rule for this"));
  });
});
