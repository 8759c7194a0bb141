import { describe, expect, it } from "vitest";
import { hint } from "./inputs";

describe("inputs hint", () => {
  it.each(["", "f32[32,512], f32[512]", "i64[]", " bool[2, 3] ", "f32[B=32,512], f32[B]"])(
    "takes %j",
    (text) => {
      expect(hint(text).ok).toBe(true);
    },
  );

  it("counts the elements of sizes that vary by their value in this call", () => {
    expect(hint("f32[B=32,4], f32[ B ]").text).toContain("160 elements");
  });

  it.each([
    ["f32[3,", "not closed"],
    ["float32[3]", "no type"],
    ["f32", "shape is missing"],
    ["f32[a]", "whole numbers"],
    ["f32[B,2]", "B has no value"],
    ["f32[2],,f32[2]", "empty"],
  ])("says what is wrong with %j", (text, why) => {
    expect(hint(text).ok).toBe(false);
    expect(hint(text).text).toContain(why);
  });
});
