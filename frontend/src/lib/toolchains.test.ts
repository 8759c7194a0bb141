import { describe, expect, it } from "vitest";
import { isChoice, titles } from "./toolchains";

const main = { name: "", versions: { torch: "2.13.0", jax: "0.10.2", numpy: "2.4.6" } };
const old = { name: "jax-0.9", versions: { torch: "2.13.0", jax: "0.9.2", numpy: "2.4.6" } };

describe("toolchains", () => {
  it("are told apart by the versions in which they differ", () => {
    expect(titles([main, old], "")).toEqual({
      "": "main · jax 0.10.2",
      "jax-0.9": "jax-0.9 · jax 0.9.2",
    });
  });

  it("have all their versions told where none differs", () => {
    expect(titles([main], "")).toEqual({ "": "main · torch 2.13.0, jax 0.10.2" });
  });

  it("are a choice where there are several, or where a run names one that is gone", () => {
    expect([isChoice([], ""), isChoice([main], ""), isChoice([main, old], "")]).toEqual([
      false,
      false,
      true,
    ]);
    expect(isChoice([main], "gone")).toBe(true);
    expect(titles([main], "gone")["gone"]).toBe("gone · no worker has it");
    expect(titles([], "gone")).toEqual({ gone: "gone · no worker has it" });
  });
});
