import { describe, expect, it } from "vitest";
import {
  EMPTY_PROGRAM,
  type Buffer,
  type Finding,
  type FusionRefusal,
  type Kernel,
  type Program,
  type Stage,
} from "../wire";
import { ALL } from "./plans";
import { findingsOf, headingOf, linesLeftOut, reasonsOf, whyByLine } from "./why";

const finding = (change: Partial<Finding>): Finding => ({
  kind: "recompile",
  compiler: "dynamo",
  category: "",
  what: "f is compiled again",
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

const COUNTS = { graphs: null, breaks: null, kernels: null, compilations: null, compile_ms: null };
const TRIAL = {
  source: "",
  speedup: null,
  summary: "",
  times: [],
  before: COUNTS,
  after: COUNTS,
  left_out: false,
};

const refusal = (from: string, to: string, reason: string, backend = "cpu"): FusionRefusal => ({
  from,
  to,
  reason,
  nodes: [1],
  graph: "whole",
  backend,
  from_value: null,
  to_value: null,
  named: {},
  kind: "also computes",
});

const kernel = (change: Partial<Kernel>): Kernel => ({
  id: "k0_matmul",
  kind: "matmul",
  library: null,
  result: "",
  ops: [],
  bytes_read: 3,
  bytes_written: 1,
  lines: [4],
  nodes: [1],
  flops: 0,
  reason: "faster",
  graph: "whole",
  backend: "cpu",
  schedule: null,
  candidates: [],
  chosen_with: [],
  same_as: "",
  values: [],
  ...change,
});

const program = (change: Partial<Program>): Program => ({
  ...EMPTY_PROGRAM,
  nodes: [
    { id: 1, op: "aten.mm", line: 4, column: 0, graph: "whole", reads: [], scope: "", end: null },
  ],
  ...change,
});

const reasons = (change: Partial<Program>, plan = ALL) =>
  reasonsOf(findingsOf(program(change), plan));

describe("the why-list", () => {
  it("is empty where nothing went otherwise", () => {
    expect(reasons({})).toEqual([]);
  });

  it("has one entry for each kind, compiler and reason", () => {
    const list = reasons({
      findings: [
        finding({ why: "the batch changed", line: 7, count: 2 }),
        finding({ why: "the batch changed", line: 9 }),
        finding({ why: "the batch changed", compiler: "xla" }),
        finding({ why: "another shape" }),
      ],
    });
    expect(list.map(({ compiler, count, lines }) => [compiler, count, lines])).toEqual([
      ["dynamo", 3, [7, 9]],
      ["xla", 1, []],
      ["dynamo", 1, []],
    ]);
  });

  it("begins with what stops a program, then with what costs most; unknown kinds come last", () => {
    const list = reasons({
      findings: [
        finding({ kind: "tomorrow" as Finding["kind"] }),
        finding({ kind: "not fused", why: "small", bytes: 10 }),
        finding({ kind: "not fused", why: "large", bytes: 10_000_000 }),
        finding({ kind: "graph break" }),
      ],
      error: {
        stage: "capture",
        message: "no",
        line: 3,
        remedy: "",
        traceback: "",
        by_service: false,
      },
    });
    expect(list.map(({ kind, why }) => why || kind)).toEqual([
      "failed",
      "graph break",
      "large",
      "small",
      "tomorrow",
    ]);
    expect(headingOf("tomorrow")).toBe("Tomorrow");
  });

  it("puts what has a remedy to be taken over before what has none, and after what stops the program", () => {
    const offered = { ...TRIAL, source: "changed" };
    const list = reasons({
      findings: [
        finding({ kind: "not compiled", compiler: "iree", why: "Python runs around it" }),
        finding({ kind: "graph break", why: "unmeasured" }),
        finding({ kind: "graph break", why: "print", us: 3, trial: offered }),
        finding({ kind: "failed", compiler: "jax", why: "no" }),
      ],
    });
    expect(list.map(({ why }) => why)).toEqual([
      "no",
      "print",
      "unmeasured",
      "Python runs around it",
    ]);
  });

  it("puts that one compiler cannot take the program behind what is known to cost", () => {
    const list = reasons({
      findings: [
        finding({ kind: "not compiled", compiler: "tvm", why: "Python runs around it" }),
        finding({ kind: "specialised", why: "sizes" }),
        finding({ kind: "graph break", why: "backward", us: 950 }),
        finding({ kind: "not fused", why: "ranges", bytes: 12 }),
      ],
    });
    expect(list.map(({ kind }) => kind)).toEqual([
      "graph break",
      "not fused",
      "not compiled",
      "specialised",
    ]);
  });

  it("says once why nobody was given a program that failed", () => {
    const message = "JAX cannot trace it";
    const error = {
      stage: "capture",
      message,
      line: 3,
      remedy: "",
      traceback: "",
      by_service: false,
    };
    const end = (compiler: string, summary: string) =>
      ({ name: "insides", kind: "insides", compiler, status: "skipped", summary }) as Stage;
    const stages = [end("xla", `XLA is given none: ${message}`), end("aot", "for PyTorch alone")];
    expect(reasons({ error, stages }).map(({ compiler }) => compiler)).toEqual(["core", "aot"]);
  });

  it("says once why a compiler cannot take the program, with its remedy", () => {
    const why = "TVM has no rule for sort";
    const end = { name: "insides", kind: "insides", compiler: "tvm", summary: why };
    const list = reasons({
      stages: [{ ...end, status: "failed" } as Stage],
      findings: [finding({ kind: "not compiled", compiler: "tvm", why, remedy: "leave it out" })],
    });
    expect(list.map(({ kind, remedy }) => [kind, remedy])).toEqual([
      ["not compiled", "leave it out"],
    ]);
  });

  it("puts the kind that costs most in all before the others, and unknown costs of memory last", () => {
    const list = reasons({
      findings: [
        finding({ kind: "recompile", compile_ms: 1 }),
        finding({ kind: "not fused", why: "a", bytes: 1_000_000 }),
        finding({ kind: "not fused", why: "b", bytes: 9_000_000 }),
        finding({ kind: "precision" }),
        finding({ kind: "layout copy", us: 300 }),
        finding({ kind: "host sync" }),
      ],
    });
    expect(list.map(({ kind }) => kind)).toEqual([
      "host sync",
      "layout copy",
      "not fused",
      "not fused",
      "recompile",
      "precision",
    ]);
  });

  it("has the time of what runs from the call that was profiled, else by the core's model", () => {
    const event = (change: object) => ({
      start_us: 0,
      duration_us: 2,
      kind: "library" as const,
      name: "mm",
      nodes: [1],
      line: 4,
      kernel: "",
      graph: "whole",
      ...change,
    });
    const lane = (compiler: string, change: object) => ({
      compiler,
      total_us: 9,
      plain_us: 9,
      calls: 3,
      events: [event(change), event({ ...change, nodes: [1, 2], kernel: "k9" })],
      about: "",
      left_out: 0,
    });
    const candidates = [
      {
        strategy: "",
        parameters: {},
        cost_us: 5,
        chosen: true,
        reason: "",
        name: "",
        free: {},
        of: "",
      },
    ];
    const kernels = [kernel({ library: "sgemm", candidates })];
    const findings = [finding({ kind: "library call", compiler: "xla", nodes: [1] })];
    const times = (timelines: Program["timelines"]) =>
      Object.fromEntries(
        reasons({ kernels, findings, timelines }).map(({ compiler, us, estimated }) => [
          compiler,
          [us, estimated],
        ]),
      );
    expect(times([])).toEqual({ core: [5, true], xla: [null, false] });
    expect(times([lane("core", { kernel: "k0_matmul" }), lane("xla", {})])).toEqual({
      core: [2, false],
      xla: [2, false],
    });
  });

  it("keeps entries of one reason apart where their remedies are", () => {
    const trial = (source: string) => ({ ...TRIAL, source });
    const list = reasons({
      findings: [
        finding({ why: "print", line: 1, trial: trial("a") }),
        finding({ why: "print", line: 2, trial: trial("a") }),
        finding({ why: "print", line: 3, trial: trial("b") }),
      ],
    });
    expect(list.map(({ lines }) => lines)).toEqual([[1, 2], [3]]);
  });

  it("knows the lines of what there was no time to try", () => {
    const left = { ...TRIAL, source: "", summary: "print, not tried", left_out: true };
    const list = reasons({
      findings: [
        finding({ why: "print", line: 4, trial: left }),
        finding({ why: "print", line: 9, trial: left }),
        finding({ why: "item", line: 5, trial: { ...TRIAL, source: "changed" } }),
      ],
    });
    expect(linesLeftOut(list)).toEqual([4, 9]);
  });

  it("tells a failure once, and what holds for these sizes last", () => {
    const error = {
      stage: "capture",
      message: "no",
      line: 3,
      remedy: "",
      traceback: "",
      by_service: false,
    };
    const findings = [
      finding({ kind: "specialised" }),
      finding({ kind: "precision" }),
      finding({ kind: "failed", what: "no", compiler: "jax" }),
    ];
    const kinds = ["failed", "precision", "specialised"];
    expect(reasons({ error, findings }).map(({ kind }) => kind)).toEqual(kinds);
    const otherwise = finding({
      kind: "failed",
      what: "no such thing",
      compiler: "dynamo",
      line: 3,
    });
    const told = reasons({ error, findings: [...findings.slice(0, 2), otherwise] });
    expect(told.map(({ kind }) => kind)).toEqual(kinds);
    expect(told[0]!.compiler).toBe("dynamo");
  });

  it("adds what is known of the costs", () => {
    const [reason] = reasons({
      findings: [finding({ bytes: 8, us: 2 }), finding({ bytes: 4 }), finding({})],
    });
    expect([reason!.bytes, reason!.us, reason!.compileMs]).toEqual([12, 2, null]);
  });
});

describe("what the core knows by itself", () => {
  it("are its refusals by reason, with the lines and the bytes that go through memory", () => {
    const buffer = { name: "b24", bytes: 8192, graph: "whole", backend: "cpu" } as Buffer;
    const [reason, ...others] = reasons({
      fusion_refusals: [
        refusal("%24 add (k0)", "%28 dot (k1)", "a product"),
        refusal("%9", "%8", "a product"),
      ],
      buffers: [buffer],
    });
    expect(others).toEqual([]);
    expect(reason).toMatchObject({ kind: "not fused", count: 2, lines: [4], bytes: 8192 });
  });

  it("are one entry where a reason differs by its kernels alone, each with what it says of them", () => {
    const wait = (k: number) =>
      `k${k}_add also computes b${k}, and a prologue computes its operand alone`;
    const list = reasons({
      fusion_refusals: [refusal("%1", "%2", wait(3)), refusal("%4", "%5", wait(9))],
    });
    expect(list.map(({ count, entries }) => [count, entries.map(({ own }) => own)])).toEqual([
      [2, ["k3_add also computes b3", "k9_add also computes b9"]],
    ]);
    expect(list[0]!.remedy).not.toBe("");
  });

  it("is of the plan that is asked for", () => {
    const fusion_refusals = [refusal("%1", "%2", "a"), refusal("%1", "%2", "b", "gpu")];
    const [found] = reasons({ fusion_refusals }, "gpu");
    expect(found!.entries.map(({ own }) => own)).toEqual(["b"]);
  });

  it("are its library calls", () => {
    const kernels = [kernel({ library: "mkl" }), kernel({ library: null })];
    const list = reasons({ kernels });
    expect(list.map(({ kind, why, bytes }) => [kind, why, bytes])).toEqual([
      ["library call", "faster", 4],
    ]);
    expect(list[0]!.entries[0]!.what).toBe("k0_matmul is mkl's matmul");
  });

  it("are calls of the vendor's library, which has no name of its own", () => {
    const kernels = [kernel({ library: "matmul", kind: "matmul" })];
    expect(reasons({ kernels })[0]!.entries[0]!.what).toBe("k0_matmul is a library's matmul");
  });

  it("are graph breaks, unless a look has explained the one at that line", () => {
    const graph_breaks = [
      { reason: "print", line: 3, remedy: "" },
      { reason: "item", line: 5, remedy: "keep it a tensor" },
    ];
    const findings = [finding({ kind: "graph break", what: "better", line: 3 })];
    const found = reasons({ graph_breaks, findings });
    expect(found.map(({ lines, remedy }) => [lines, remedy])).toEqual([
      [[5], "keep it a tensor"],
      [[3], ""],
    ]);
  });

  it("are graph breaks with what goes through memory there, and not with less because of it", () => {
    const graph_breaks = [{ reason: "print", line: 3, remedy: "" }];
    const python = [
      { after: "piece0", first_line: 3, last_line: 4, text: "", reason: "print", bytes: 4096 },
    ];
    const findings = [
      finding({ kind: "not fused", bytes: 1e9, line: 9 }),
      finding({ kind: "graph break", why: "print", line: 3 }),
    ];
    for (const found of [reasons({ graph_breaks, python }), reasons({ findings, python })])
      expect(found[0]).toMatchObject({ kind: "graph break", bytes: 4096, us: null });
  });

  it("are graph breaks with what the profiled call takes to the next graph", () => {
    const event = (graph: string, start_us: number) => ({
      start_us,
      duration_us: 10,
      kind: "kernel" as const,
      name: "k0",
      nodes: [],
      line: null,
      kernel: "k0",
      graph,
    });
    const lane = {
      compiler: "core",
      total_us: 99,
      plain_us: 99,
      calls: 3,
      events: [event("piece0", 0), event("piece0", 20), event("piece1", 70)],
      about: "",
      left_out: 0,
    };
    const breaks = ["print", "item"].map((reason) => ({ reason, line: 3, remedy: "" }));
    const python = [
      { after: "piece0", first_line: 3, last_line: 3, text: "", reason: "print", bytes: 4096 },
      { after: "piece1", first_line: 5, last_line: 5, text: "", reason: "item", bytes: null },
    ];
    const costs = (timelines: Program["timelines"]) =>
      reasons({ graph_breaks: breaks, python, timelines }).map(({ why, us }) => [why, us]);
    expect(costs([])).toEqual([
      ["print", null],
      ["item", null],
    ]);
    // What one line costs is not counted for each of its reasons.
    expect(costs([lane])).toEqual([
      ["print", 40],
      ["item", null],
    ]);
    // Profiling adds to each: the call is measured at a third of it.
    const timings = { core: { median_us: 33 } } as unknown as Program["timings"];
    const slow = reasons({ graph_breaks: breaks, python, timelines: [lane], timings });
    expect(slow[0]!.us).toBeCloseTo(40 / 3);
  });

  it("are looks that showed nothing", () => {
    const stage = { name: "insides", kind: "insides", compiler: "xla", summary: "no jaxpr" };
    const stages = [{ ...stage, status: "skipped" } as Stage];
    const [reason] = reasons({ stages });
    expect([reason!.kind, reason!.entries[0]!.what]).toEqual(["not compiled", "no jaxpr"]);
  });
});

it("a line says which kinds of reasons it has", () => {
  const findings = [
    finding({ line: 3, why: "a" }),
    finding({ line: 3, why: "b" }),
    finding({ line: 3, kind: "graph break" }),
    finding({ line: 4 }),
  ];
  expect([...whyByLine(reasons({ findings }))]).toEqual([
    [3, "Graph breaks, Compiled again"],
    [4, "Compiled again"],
  ]);
});
