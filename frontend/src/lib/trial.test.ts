import { describe, expect, it } from "vitest";
import type { Trial, TrialCounts, TrialTime } from "../wire";
import { gainWords, timeWords } from "./trial";

const COUNTS = { graphs: null, breaks: null, kernels: null, compilations: null, compile_ms: null };

const TIME: TrialTime = {
  compiler: "core",
  before_us: 300,
  before_p25_us: 290,
  before_p75_us: 310,
  after_us: 200,
  after_p25_us: 190,
  after_p75_us: 210,
  speedup: 1.5,
  speedup_low: 1.4,
  speedup_high: 1.6,
  verdict: "faster",
  samples: 20,
  first_calls: false,
};

const trial = (before: TrialCounts): Trial => ({
  source: "f",
  speedup: 1.5,
  summary: "",
  times: [TIME],
  before,
  after: COUNTS,
  left_out: false,
});

describe("a remedy that was tried", () => {
  it("has its gain over the program as it was compiled", () => {
    const tried = trial({ ...COUNTS, graphs: 2 });
    expect(gainWords(tried)).toBe("1.50× as fast");
    expect(timeWords(tried, TIME)).toBe(
      "core, a call: 300\u00a0µs → 200\u00a0µs, 1.50× (1.40× to 1.60×), faster",
    );
  });

  it("names no gain where noise is as large", () => {
    const same = { ...TIME, verdict: "same within noise" as const };
    expect(gainWords({ ...trial(COUNTS), times: [same] })).toBe("");
  });

  it("says of a program that was not compiled what its time before is", () => {
    const tried = trial(COUNTS);
    expect(gainWords(tried)).toBe("1.50× as fast as without a compiler");
    expect(timeWords(tried, TIME)).toContain("300\u00a0µs without a compiler → 200");
  });
});
