import { describe, expect, it } from "vitest";
import { argumentOf, callsOf, textOf } from "./calls";

describe("a text of inputs", () => {
  it.each([
    "f32[32,512], f32[512]",
    "attend(f32[2,8,4], num_heads=4)",
    "Net(16, 'a, b')(f32[B=4,16]~uniform(0,1)); g([f32[2], f32[3]], {\"x\": i64[4]})",
    "GPT(GPTConfig(n_layer=2))(i64[4,64])",
    "Config(2), f32[4]",
    "f()",
    "",
  ])("is written again as it was read: %j", (text) => {
    expect(textOf(callsOf(text))).toBe(text);
  });

  it("has the arguments of a constructor apart from those of the call", () => {
    const [call] = callsOf("Net(16)(f32[4,16], causal=True)");
    expect(call?.name).toBe("Net");
    expect(call?.built?.map(({ text }) => text)).toEqual(["16"]);
    expect(call?.given.map(({ keyword }) => keyword)).toEqual(["", "causal"]);
  });

  it("has of a tensor its type, its sizes, and how its values are drawn", () => {
    expect(argumentOf("x=bf16[ 4, 8 ] ~ normal(0, 0.02)")).toMatchObject({
      keyword: "x",
      tensor: { dtype: "bf16", shape: "4, 8", drawn: "normal", numbers: "0, 0.02" },
    });
  });

  it.each(["float32[4]", "f32[4]~gamma(1)", "[f32[4]]", "3"])("leaves %j as it is", (text) => {
    expect(argumentOf(text)).toEqual({ keyword: "", tensor: null, text });
  });

  it.each(["f32[4", "f('a", "f(((", "a;;b", ")("])("ends on %j", (text) => {
    expect(callsOf(text).length).toBeGreaterThan(0);
  });
});
