import { expect, test } from "vitest";
import type { ErrorSize, Kernel, KernelError } from "../wire";
import { broughtBy, cancelled, relative, share, errorText, ulps, worstFirst } from "./precision";

const EXACT: ErrorSize = {
  max_abs: 0,
  max_rel: 0,
  max_ulps: 0,
  differing: 0,
  index: [],
  got: null,
  exact: null,
  of_terms: null,
};
const size = (max_rel: number): ErrorSize => ({ ...EXACT, max_rel, max_ulps: max_rel * 2 ** 23 });
const NO_NUMBER: ErrorSize = {
  ...EXACT,
  max_abs: null,
  max_rel: null,
  max_ulps: null,
  differing: 3,
};
const INTEGERS: ErrorSize = { ...NO_NUMBER, max_abs: 2, got: 7, exact: 5 };

const error = (kernel: string, own: ErrorSize): KernelError => ({
  kernel,
  buffer: "out0",
  type: "f32[4]",
  own,
  accumulated: own,
  eager_own: null,
  eager_accumulated: null,
  eager_node: null,
  graph: "whole",
  backend: "cpu",
});

test("a sum whose terms cancel is ordered by the error of these, and says so", () => {
  const sum: ErrorSize = { ...size(3.18), of_terms: 5e-8 };
  expect(worstFirst([error("a", sum), error("b", size(1e-7))])[0]!.kernel).toBe("b");
  expect(cancelled(sum)).toMatch(/^the sum cancels: 5\S*e-8 of its terms$/);
  expect(errorText(sum)).toContain("the sum cancels");
  expect(cancelled({ ...size(2e-7), of_terms: 5e-8 })).toBe("");
});

test("the largest error comes first, and what is no number before all", () => {
  const errors = [error("a", size(1e-7)), error("b", NO_NUMBER), error("c", size(1e-3))];
  expect(worstFirst(errors).map(({ kernel }) => kernel)).toEqual(["b", "c", "a"]);
});

test("a kernel brings the largest of its values, in the plan that ran alone", () => {
  const errors = [error("k0", size(1e-7)), error("k0", size(1e-3)), error("k1", EXACT)];
  const kernel = { id: "k0", graph: "whole", backend: "cpu" } as Kernel;
  expect(broughtBy(kernel, errors)).toEqual(size(1e-3));
  expect(broughtBy({ ...kernel, backend: "gpu" }, errors)).toBeNull();
});

test("exact errors take nothing of a bar, and errors of the size of the numbers all", () => {
  expect(share(EXACT)).toBe(0);
  expect(share(size(1))).toBe(1);
  expect(share(NO_NUMBER)).toBe(1);
  expect(share(size(1e-3))).toBeGreaterThan(share(size(1e-7)));
});

test("errors are told in their units", () => {
  expect([relative(EXACT), ulps(EXACT), errorText(EXACT)]).toEqual(["0", "", "exact"]);
  expect([relative(INTEGERS), errorText(INTEGERS)]).toEqual(["3 differ", "3 elements differ"]);
  expect([relative(NO_NUMBER), errorText(NO_NUMBER)]).toEqual([
    "not finite",
    "an infinity or a NaN in 3 elements",
  ]);
  // A sum that is exactly 0: the error was divided by the smallest number.
  expect([relative(size(1.1e307)), ulps(size(1.1e307))]).toEqual(["exact is 0", ""]);
  expect(ulps(size(2 ** -23))).toBe("1.00\u00a0ulp");
  expect(relative(null)).toBe("–");
});
