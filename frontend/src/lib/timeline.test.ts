import { describe, expect, it } from "vitest";
import { EMPTY_PROGRAM, type Timeline, type TimelineEvent } from "../wire";
import { busy, chromeTrace, panned, revealing, rowsOf, spoken, whole, zoomed } from "./timeline";

const event = (start_us: number, duration_us: number): TimelineEvent => ({
  start_us,
  duration_us,
  kind: "kernel",
  name: "k0_add",
  nodes: [1],
  line: 5,
  kernel: "k0_add",
  graph: "whole",
});
const lane = (compiler: string, total_us: number, events: TimelineEvent[] = []): Timeline => ({
  compiler,
  total_us,
  plain_us: total_us / 2,
  calls: 3,
  events,
  about: "",
  left_out: 0,
});
const ALL = { from: 0, to: 100 };

describe("the part of a call that is seen", () => {
  it("is all of the longest at first", () =>
    expect(whole([lane("eager", 100), lane("core", 40)])).toEqual(ALL));

  it("keeps its place under the pointer when it is made shorter", () => {
    const near = zoomed(ALL, 0.5, 80, ALL);
    expect(near).toEqual({ from: 40, to: 90 });
    expect(zoomed(near, 4, 80, ALL)).toEqual(ALL);
  });

  it("ends where the call does", () => {
    expect(panned({ from: 40, to: 60 }, 1000, ALL)).toEqual({ from: 80, to: 100 });
    expect(panned({ from: 40, to: 60 }, -1000, ALL)).toEqual({ from: 0, to: 20 });
  });

  it("moves to an event that is not in it, and only then", () => {
    const shown = { from: 0, to: 20 };
    expect(revealing(shown, event(5, 5), ALL)).toBe(shown);
    expect(revealing(shown, event(50, 10), ALL)).toEqual({ from: 45, to: 65 });
  });
});

describe("events", () => {
  it("have rows of their own where they overlap", () =>
    expect(rowsOf([event(0, 10), event(5, 10), event(10, 2), event(20, 1)])).toEqual([0, 1, 0, 0]));

  it("that run at once count once", () =>
    expect(busy([event(0, 10), event(5, 10), event(20, 1)])).toBe(16));

  it("are said in one line", () =>
    expect(spoken(event(1, 2))).toBe(
      "k0_add, generated kernel, 2.00\u00a0µs from 1.00\u00a0µs on, line 5",
    ));

  it("are a process a compiler in Chrome's format", () => {
    const { traceEvents } = JSON.parse(
      chromeTrace({ ...EMPTY_PROGRAM, timelines: [lane("core", 10, [event(1, 2)])] }),
    );
    expect(traceEvents).toHaveLength(3);
    expect(traceEvents[0]).toMatchObject({ ph: "M", args: { name: "core" } });
    expect(traceEvents[1]).toMatchObject({ ph: "X", name: "call", dur: 10 });
    expect(traceEvents[2]).toMatchObject({ ph: "X", name: "k0_add", ts: 1, dur: 2, tid: 1 });
  });
});
