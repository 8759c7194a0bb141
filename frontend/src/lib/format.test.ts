import { describe, expect, it } from "vitest";
import { bytes, count, microseconds, milliseconds, repeats, scientific, times } from "./format";

const plain = (text: string) => text.replace(/[\u00a0\u2009]/g, " ");

describe("numbers", () => {
  it.each([
    [0, "0"],
    [0.25, "250 ns"],
    [12.345, "12.3 µs"],
    [999.96, "1 000 µs"],
    [1234, "1.23 ms"],
    [2.5e6, "2.50 s"],
  ])("writes %d µs as %s", (us, text) => expect(plain(microseconds(us))).toBe(text));

  it("writes milliseconds in the unit that fits", () =>
    expect(plain(milliseconds(1500))).toBe("1.50 s"));

  it.each([
    [0, "0"],
    [512, "512 B"],
    [2097152, "2.00 MiB"],
  ])("writes %d bytes as %s", (n, text) => expect(plain(bytes(n))).toBe(text));

  it("writes counts short", () => expect(plain(count(536_870_912))).toBe("537 M"));

  it("writes ratios with fewer digits as they grow", () => {
    expect([times(1.534), times(15.34), times(153.4)]).toEqual(["1.53×", "15.3×", "153×"]);
  });

  it("says of an error that is no number that it is none", () =>
    expect(scientific(null)).toBe("not finite"));
});

describe("words that come again", () => {
  it("stand once, with how often", () => {
    expect(repeats(["add", "tanh", "add"])).toBe("add\u00a0×2, tanh");
    expect(repeats([])).toBe("");
  });
});
