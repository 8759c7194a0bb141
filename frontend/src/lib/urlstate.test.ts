import { describe, expect, it } from "vitest";
import {
  pairOf,
  pathOf,
  pathOfPair,
  readView,
  runMeant,
  runOf,
  START,
  workshopOf,
  writeView,
} from "./urlstate";

describe("address", () => {
  it("has a workshop's code as somebody wrote it who heard it", () => {
    expect(workshopOf("/w/K7MQ%202P9X")).toBe("K7MQ 2P9X");
    expect(workshopOf("/w/k7mq-2p9x")).toBe("k7mq-2p9x");
    expect(workshopOf("/w/")).toBe("");
    expect(workshopOf("/r/abc")).toBeNull();
  });

  it("names the run in the path", () => {
    expect(runOf(pathOf("abc_-9"))).toBe("abc_-9");
    expect(runOf("/r/abc/")).toBe("abc");
    expect(runOf("/")).toBeNull();
    expect(runOf("/r/a/b")).toBeNull();
  });

  it("names two runs that are compared", () => {
    expect(pairOf(pathOfPair("abc_-9", "d-e"))).toEqual(["abc_-9", "d-e"]);
    expect([pairOf("/c/a"), pairOf("/c/a...b...c"), pairOf("/r/a...b")]).toEqual([
      null,
      null,
      null,
    ]);
  });

  it("knows which run is meant by a link to it or by its id", () => {
    const meant = ["https://host:1/r/abcdef-1#stage=2", "/r/abcdef-1", " abcdef-1 "].map(runMeant);
    expect(new Set(meant)).toEqual(new Set(["abcdef-1"]));
    expect(runMeant("what is this")).toBeNull();
  });

  it("brings a view back as it was written", () => {
    const view = {
      program: 2,
      stage: 0,
      nodes: [3, 14],
      values: [12],
      graph: "piece 1",
      plan: "gpu",
      overrides: [{ type: "without" as const, name: "merge-views" }],
      before: "abc",
    };
    expect(readView(writeView(view))).toEqual(view);
  });

  it("writes nothing for the view that everybody starts with", () => {
    expect(writeView(START)).toBe("");
  });

  it("ignores what it cannot read", () => {
    expect(readView("#program=-1&stage=x&nodes=1..a.2&overrides=x&before=/")).toEqual({
      program: 0,
      stage: null,
      nodes: [1, 2],
      values: [],
      graph: null,
      plan: null,
      overrides: null,
      before: null,
    });
  });
});
