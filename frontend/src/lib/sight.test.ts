import { describe, expect, it } from "vitest";
import { parseSight, withSight, type Sight } from "./sight";

const RUN = "/r/k3j5m7p9r2t4w6y8a3b5c7d9";

describe("what is looked at, in a place", () => {
  const sights: readonly Sight[] = [
    { pane: "triton", top: { line: 120 }, text: "triton/k0 sum & exp" },
    { pane: "timings", top: { share: 0.25 }, text: null },
    { pane: "fusion", top: null, text: null },
  ];

  it.each(["", "#program=1&nodes=3.4"])("goes in and comes out, beside %s", (shown) => {
    for (const sight of sights)
      for (const isShown of [false, true]) {
        const going = { times: 3, isShown };
        const place = withSight(RUN + shown, sight, going);
        expect(parseSight(place)).toEqual({ bare: RUN + shown, sight, going });
      }
  });

  it("is nothing where nothing is looked at, or what is said is none", () => {
    const nothing = { sight: null, going: { times: 0, isShown: false } };
    expect(withSight(`${RUN}#stage=2`, null, nothing.going)).toBe(`${RUN}#stage=2`);
    expect(parseSight(`${RUN}#stage=2`)).toEqual({ bare: `${RUN}#stage=2`, ...nothing });
    expect(parseSight(`${RUN}#at=%3Cb%3E.1&went=-1`)).toEqual({ bare: RUN, ...nothing });
  });
});
