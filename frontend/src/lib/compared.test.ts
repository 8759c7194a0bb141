import { expect, test } from "vitest";
import { figure, time } from "./compared";

test("a figure of a comparison is written as everywhere on the page", () => {
  expect(figure("rel error of core", "8.17e-05")).toBe("8.2e-5");
  expect(figure("rel error of core", "0.000123 NOT OK")).toBe("1.2e-4 NOT OK");
  expect(figure("rel error of core", "0")).toBe("0");
  expect(figure("memory traffic", "32.00 MiB")).toBe("32.0\u00a0MiB");
  expect(time("core", "7790.0")).toBe("7.79\u00a0ms");
});

test("what is no figure stays as it is", () => {
  for (const text of ["", "none", "not finite", "exact is 0"])
    expect(figure("rel error of core", text)).toBe(text);
  expect(figure("launches", "3: 1 kernel, 2 library calls")).toBe("3: 1 kernel, 2 library calls");
  expect(figure("after passes", "12")).toBe("12");
  expect(time("core", "none")).toBe("none");
});
