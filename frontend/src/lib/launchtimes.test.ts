import { describe, expect, it } from "vitest";
import { EMPTY_PROGRAM, type Kernel, type Program, type TimelineEvent } from "../wire";
import { choiceRunOf, modelOf, ownModelOf, runOf, runsOf } from "./launchtimes";

const candidate = { strategy: "", parameters: {}, reason: "", name: "", free: {}, of: "" };
const kernel = (id: string, chosen_with: string[] = []): Kernel => ({
  id,
  kind: "loop",
  library: null,
  result: "",
  ops: [],
  bytes_read: 0,
  bytes_written: 0,
  lines: [],
  nodes: [],
  flops: 0,
  reason: "",
  graph: "whole",
  backend: "cpu",
  schedule: null,
  candidates: [
    { ...candidate, cost_us: 9, chosen: false },
    { ...candidate, cost_us: 4, chosen: true },
  ],
  chosen_with,
  same_as: "",
  values: [],
});

const event = (kernel: string, duration_us: number, graph = "whole"): TimelineEvent => ({
  kernel,
  graph,
  duration_us,
  start_us: 0,
  name: kernel,
  kind: "kernel",
  nodes: [],
  line: null,
});

const profiled = (...events: TimelineEvent[]): Program => ({
  ...EMPTY_PROGRAM,
  timelines: [
    { compiler: "core", total_us: 9, plain_us: 9, calls: 3, about: "", left_out: 0, events },
  ],
});

describe("what a launch takes", () => {
  it("is what the model says of the candidate that was chosen", () => {
    expect(modelOf(kernel("k0"))).toBe(4);
    expect(ownModelOf(kernel("k0"))).toBe(4);
  });

  it("is nobody's own where one choice made several launches", () => {
    expect(modelOf(kernel("k0", ["k0", "k1"]))).toBe(4);
    expect(ownModelOf(kernel("k0", ["k0", "k1"]))).toBeNull();
  });

  it("is the mean of its runs in the profiled call, in its own graph", () => {
    const program = profiled(event("k0", 2), event("k0", 4), event("k0", 50, "piece1"));
    expect(runsOf(program, kernel("k0"))).toEqual([2, 4]);
    expect(runOf(program, kernel("k0"))).toBe(3);
    expect(runOf(program, kernel("k1"))).toBeNull();
  });

  it("is that of all launches of a choice, where each of them was timed", () => {
    const both = kernel("k0", ["k0", "k1"]);
    expect(choiceRunOf(profiled(event("k0", 2), event("k1", 5)), both)).toBe(7);
    expect(choiceRunOf(profiled(event("k0", 2)), both)).toBeNull();
  });
});
