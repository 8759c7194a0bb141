import { describe, expect, it } from "vitest";
import { jitter, niceStep, scale, span } from "./plot";

describe("timing plot", () => {
  it("starts at zero while the smallest can be read", () => {
    const x = scale([10, 40], 100);
    expect(x.at(0)).toBe(0);
    expect(x.log).toBe(false);
    expect(x.ticks.at(-1)).toBeGreaterThanOrEqual(40);
  });

  it("has no more ticks than there is room to name", () => {
    for (const width of [60, 140, 180, 240, 600])
      for (const high of [40, 168, 199, 0.7]) {
        const { at, ticks } = scale([high / 2, high], width);
        expect(at(ticks[1]!) - at(ticks[0]!)).toBeGreaterThanOrEqual(56);
        expect(ticks.at(-1)).toBeGreaterThanOrEqual(high);
      }
  });

  it("is logarithmic when the largest would hide the smallest", () => {
    const x = scale([1, 1000], 90);
    expect(x.log).toBe(true);
    expect(x.at(1)).toBe(0);
    expect(x.at(1000)).toBeCloseTo(90);
  });

  it("of a part has its ticks within it, and a way back", () => {
    const x = span(40, 60, 400);
    expect([x.at(40), x.at(60), x.from(x.at(47))]).toEqual([0, 400, 47]);
    expect(x.ticks).toEqual([40, 45, 50, 55, 60]);
  });

  it("takes round steps", () =>
    expect([niceStep(0.9), niceStep(23), niceStep(0)]).toEqual([1, 25, 1]));

  it("keeps dots inside their row", () => {
    for (let i = 0; i < 200; i++) expect(Math.abs(jitter(i))).toBeLessThanOrEqual(1);
  });
});
