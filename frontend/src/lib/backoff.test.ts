import { describe, expect, it } from "vitest";
import { delayMs } from "./backoff";

describe("back-off", () => {
  it("doubles and then stays", () => {
    expect([0, 1, 2, 20].map((attempt) => delayMs(attempt, 0.5))).toEqual([250, 500, 1000, 8000]);
  });
});
