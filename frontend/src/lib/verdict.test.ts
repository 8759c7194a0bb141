import { describe, expect, it } from "vitest";
import { EMPTY_MEASUREMENT, EMPTY_PROGRAM, type Kernel, type Program, type Timing } from "../wire";
import { changesOf, verdictOf } from "./verdict";

const timing = (median_us: number, more: Partial<Timing> = {}): Timing => ({
  median_us,
  p25_us: median_us,
  p75_us: median_us,
  samples: 20,
  capture_ms: null,
  compile_ms: null,
  first_call_ms: null,
  speedup: null,
  speedup_low: null,
  speedup_high: null,
  verdict: "",
  pays_after_calls: null,
  samples_us: [],
  device_us: null,
  ...more,
});

const MEASURED: Program = {
  ...EMPTY_PROGRAM,
  timings: {
    xla: timing(4800, { speedup: 1.15 }),
    eager: timing(5530),
    core: timing(5110, { speedup: 1.08, verdict: "same within noise" }),
  },
  measurement: { ...EMPTY_MEASUREMENT, baseline: "PyTorch", fastest: ["xla"], processors: 2 },
};

describe("the verdict", () => {
  it("has whoever was measured beside the core, and names the fastest", () => {
    const { eager, core, others } = verdictOf(MEASURED)!;
    expect([eager.timing.median_us, core?.timing.speedup, core?.lead]).toEqual([5530, 1.08, ""]);
    expect(others.map(({ title, lead }) => [title, lead])).toEqual([["XLA", "fastest"]]);
  });

  it("names several where samples do not tell them apart", () => {
    const tied = { ...MEASURED.measurement!, fastest: ["xla", "core"] };
    const found = verdictOf({ ...MEASURED, measurement: tied })!;
    expect([found.core?.lead, found.others[0]?.lead]).toEqual([
      "among the fastest",
      "among the fastest",
    ]);
  });

  it("names nobody where samples tell none of them apart", () => {
    const tied = { ...MEASURED.measurement!, fastest: ["xla", "core", "eager"] };
    const found = verdictOf({ ...MEASURED, measurement: tied })!;
    expect([found.eager.lead, found.core?.lead]).toEqual(["", ""]);
  });

  it("says what eager is", () => {
    expect(verdictOf(MEASURED)!.baseline).toEqual({ short: "eager", full: "PyTorch" });
    expect(verdictOf({ ...MEASURED, framework: "jax" })!.baseline.short).toBe("op by op");
  });

  it("has no figure of a wrong result, nor of a time that cannot be", () => {
    const numerics = {
      core: { max_abs_error: 1, max_rel_error: 1, ok: false, rule: "", error: "" },
    };
    const timings = {
      ...MEASURED.timings,
      xla: timing(1, { verdict: "below the physical floor" as const }),
    };
    const found = verdictOf({ ...MEASURED, numerics, timings })!;
    expect([found.core?.refused, found.others[0]?.refused]).toEqual([
      "wrong result",
      "below the physical floor",
    ]);
  });

  it("has the reason of what is not compiled", () => {
    const core = timing(6000, { verdict: "not compiled" });
    const graph_breaks = [{ reason: "TorchDynamo leaves all of f to Python", line: 6, remedy: "" }];
    const timings = { ...MEASURED.timings, core };
    const found = verdictOf({ ...MEASURED, timings, graph_breaks })!;
    expect([found.core?.refused, found.core?.why]).toEqual([
      "not compiled",
      "TorchDynamo leaves all of f to Python",
    ]);
    expect(verdictOf({ ...MEASURED, graph_breaks })!.core?.why).toBe("");
  });

  it("says that the machine was busy, and by how much", () => {
    const measurement = { ...MEASURED.measurement!, busy: true, others: 0.94 };
    expect(verdictOf({ ...MEASURED, measurement })!.busy).toBe(
      "machine busy: others took 0.9 of 2 processors",
    );
    expect(verdictOf(MEASURED)!.busy).toBe("");
  });

  it("is none where nothing was measured, and of an old report names nobody the fastest", () => {
    expect(verdictOf(EMPTY_PROGRAM)).toBeNull();
    expect(verdictOf({ ...MEASURED, measurement: null })!.others[0]?.lead).toBe("");
  });
});

const launch = (kind: string, backend: string) => ({ kind, backend }) as Kernel;

describe("what changed", () => {
  it("is launches and bytes, before and after", () => {
    const summary = { ...EMPTY_PROGRAM.summary, launches_eager: 6, launches_core: 2 };
    expect(changesOf({ ...EMPTY_PROGRAM, summary })[0]).toEqual({
      name: "launches",
      before: 6,
      after: 2,
      note: "",
    });
    expect(changesOf(EMPTY_PROGRAM)).toEqual([]);
  });

  it("says of a loop how so few launches in the code come to so many", () => {
    const summary = { ...EMPTY_PROGRAM.summary, launches_eager: 2000, launches_core: 200 };
    const kernels = ["scan", "elementwise", "row"].map((kind) => launch(kind, "cpu"));
    const all = [...kernels, launch("row", "gpu")];
    const [launches] = changesOf({ ...EMPTY_PROGRAM, summary, backend: "cpu", kernels: all });
    expect(launches?.note).toBe("2 in the code, those in a loop at each turn");
  });
});
