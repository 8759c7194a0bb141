import { describe, expect, it } from "vitest";
import { pathOf, readView, runOf, START, writeView } from "./urlstate";

describe("address", () => {
  it("names the run in the path", () => {
    expect(runOf(pathOf("abc_-9"))).toBe("abc_-9");
    expect(runOf("/r/abc/")).toBe("abc");
    expect(runOf("/")).toBeNull();
    expect(runOf("/r/a/b")).toBeNull();
  });

  it("brings a view back as it was written", () => {
    const view = { program: 2, stage: 0, nodes: [3, 14], graph: "piece 1", plan: "gpu" };
    expect(readView(writeView(view))).toEqual(view);
  });

  it("writes nothing for the view that everybody starts with", () => {
    expect(writeView(START)).toBe("");
  });

  it("ignores what it cannot read", () => {
    expect(readView("#program=-1&stage=x&nodes=1..a.2")).toEqual({
      program: 0,
      stage: null,
      nodes: [1, 2],
      graph: null,
      plan: null,
    });
  });
});
