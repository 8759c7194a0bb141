import { describe, expect, it } from "vitest";
import { merged } from "./adopted-styles";

describe("style modules", () => {
  it("keep the order of the later call and appear once", () => {
    const added = merged(["a", "b"], ["c", "b"]);
    expect(added.indexOf("c")).toBeLessThan(added.indexOf("b"));
    expect([...added].sort()).toEqual(["a", "b", "c"]);
    const twice = merged(merged([], ["a", "b"]), ["b", "a"]);
    expect(twice.indexOf("b")).toBeLessThan(twice.indexOf("a"));
    expect(new Set(twice).size).toBe(twice.length);
  });
});
