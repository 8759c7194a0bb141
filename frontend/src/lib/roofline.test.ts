import { describe, expect, it } from "vitest";
import { EMPTY_MEASUREMENT, EMPTY_PROGRAM, type Kernel, type Program } from "../wire";
import { dotsOf, reachable, roofOf } from "./roofline";

const kernel = (id: string, more: Partial<Kernel> = {}): Kernel => ({
  id,
  kind: "loop",
  library: null,
  result: "",
  ops: [],
  bytes_read: 4000,
  bytes_written: 4000,
  lines: [],
  nodes: [],
  flops: 16000,
  reason: "",
  graph: "whole",
  backend: "cpu",
  schedule: null,
  candidates: [],
  chosen_with: [],
  same_as: "",
  values: [],
  ...more,
});

const modelled = {
  strategy: "",
  parameters: {},
  cost_us: 4,
  chosen: true,
  reason: "",
  name: "",
  free: {},
  of: "",
};

const of = (kernels: Kernel[], more: Partial<Program> = {}): Program => ({
  ...EMPTY_PROGRAM,
  backend: "cpu",
  kernels,
  ...more,
});

describe("a kernel under the roof", () => {
  it("is where its operations for a byte and for a second put it", () => {
    const [dot] = dotsOf(of([kernel("k0", { candidates: [modelled] })]), "cpu");
    expect([dot?.intensity, dot?.rate, dot?.source]).toEqual([2, 4e9, "model"]);
  });

  it("has the time of a profiled call where there is one", () => {
    const event = { kernel: "k0", graph: "whole", duration_us: 8, start_us: 0, name: "k0" };
    const lane = { compiler: "core", total_us: 9, plain_us: 9, calls: 3, about: "", left_out: 0 };
    const timelines = [
      { ...lane, events: [{ ...event, kind: "kernel" as const, nodes: [], line: null }] },
    ];
    const [dot] = dotsOf(of([kernel("k0", { candidates: [modelled] })], { timelines }), "cpu");
    expect([dot?.us, dot?.source]).toEqual([8, "measured"]);
  });

  it("is left out where nobody knows its time, or it computes nothing", () => {
    const kernels = [kernel("k0"), kernel("k1", { flops: 0, candidates: [modelled] })];
    expect(dotsOf(of(kernels), "cpu")).toEqual([]);
  });

  it("does not take a time of several launches together for its own", () => {
    const together = kernel("k0", { candidates: [modelled], chosen_with: ["k0", "k1"] });
    expect(dotsOf(of([together]), "cpu")).toEqual([]);
  });
});

describe("the roof", () => {
  const roof = { bandwidth: 1e10, flops: 1e11 };

  it("is the bandwidth before the ridge, and the processor's rate behind it", () => {
    expect([reachable(roof, 1), reachable(roof, 10), reachable(roof, 100)]).toEqual([
      1e10, 1e11, 1e11,
    ]);
  });

  it("is none where nothing was measured", () => {
    expect(roofOf(null)).toBeNull();
    expect(roofOf(EMPTY_MEASUREMENT)).toBeNull();
    expect(roofOf({ ...EMPTY_MEASUREMENT, ...roof })).toEqual(roof);
  });
});
