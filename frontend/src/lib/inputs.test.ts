import { describe, expect, it } from "vitest";
import { EMPTY_PROGRAM, EMPTY_REPORT } from "../wire";
import { assumed, called, hint, known } from "./inputs";

describe("inputs hint", () => {
  it.each(["", "f32[32,512], f32[512]", "i64[]", " bool[2, 3] ", "f32[B=32,512], f32[B]"])(
    "takes %j",
    (text) => {
      expect(hint(text).ok).toBe(true);
    },
  );

  it.each([
    ["attend(f32[2,8,4], num_heads=4)", "1 tensor, 64"],
    ["Net(16, 'relu')(f32[4,16]); g([f32[2], f32[3]], 0.5)", "3 tensors, 69"],
    ["f32[4], 2, True", "1 tensor, 4"],
    ["f(f32[B=2,4], x=f32[B])", "2 tensors, 10"],
  ])("takes calls and numbers in %j", (text, said) => {
    expect(hint(text)).toMatchObject({ ok: true });
    expect(hint(text).text).toContain(said);
  });

  it("leaves how values are drawn to the compiler", () => {
    expect(hint("f32[4]~uniform(0,1), i64[2] ~ constant(3)")).toMatchObject({ ok: true });
    expect(hint("f(f32[4]~normal(0, 1), 2)").text).toContain("1 tensor, 4 elements");
  });

  it("says what is wrong with a tensor in a call", () => {
    expect(hint("f(float32[3], 2)").text).toContain("no type");
  });

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

describe("assumed inputs", () => {
  it("are the calls of all programs that nothing calls", () => {
    const programs = ["f(f32[4])", "", "Net(2)(f32[2])"].map((call) => ({
      ...EMPTY_PROGRAM,
      assumed: call,
    }));
    expect(assumed({ programs })).toBe("f(f32[4]); Net(2)(f32[2])");
  });
});

describe("the calls of a snippet", () => {
  const f = { ...EMPTY_PROGRAM, called: "f(f32[4], 3)" };

  it("are those of all programs", () => {
    expect(called({ programs: [f] })).toBe("f(f32[4], 3)");
    const g = { ...f, called: "g(f32[2])" };
    expect(called({ programs: [f, g] })).toBe("f(f32[4], 3); g(f32[2])");
  });

  it("are none where one cannot be written, or before there is a program", () => {
    expect(called({ programs: [f, EMPTY_PROGRAM] })).toBe("");
    expect(called({ programs: [] })).toBe("");
  });
});

describe("what a form begins with", () => {
  const asks = {
    ...EMPTY_REPORT,
    candidates: [{ name: "f", line: 1, parameters: ["x"], inputs: "f(f32[2])" }],
  };

  it("is what was written, assumed, asked for, or said in a comment, else nothing", () => {
    expect(known("f32[9]", asks, "# inputs: f32[4]")).toBe("f32[9]");
    expect(known("", asks, "# inputs: f32[4]")).toBe("f(f32[2])");
    expect(known("", EMPTY_REPORT, "import torch\n# inputs: f32[4], i64[]\n")).toBe(
      "f32[4], i64[]",
    );
    expect(known("", EMPTY_REPORT, "def f(x): ...")).toBe("");
  });
});
