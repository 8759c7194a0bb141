import { expect, test } from "vitest";
import { addressTicks, busiest, extentOf, placedOf, stepsOf } from "./memory";
import type { Buffer } from "../wire";

const buffer = (offset: number | null, bytes: number, first: number, last: number): Buffer => ({
  name: `b${offset}`,
  type: "f32[1]",
  bytes,
  offset,
  first,
  last,
  nodes: [],
  graph: "whole",
  backend: "cpu",
  compiler: "",
  over: "",
});
const PLAN = [
  buffer(null, 999, 0, 9),
  buffer(0, 100, 0, 1),
  buffer(100, 50, 1, 3),
  buffer(0, 80, 2, 4),
];

test("inputs and results are not placed, and steps are counted with them", () => {
  expect(placedOf(PLAN).map(({ bytes }) => bytes)).toEqual([100, 50, 80]);
  expect(extentOf(placedOf(PLAN))).toBe(150);
  expect(stepsOf(PLAN)).toBe(10);
});

test("the busiest step has the most bytes alive, not the most addresses", () => {
  expect(busiest(placedOf(PLAN))).toEqual({ step: 1, bytes: 150 });
  expect(busiest([])).toEqual({ step: 0, bytes: 0 });
});

test("addresses are marked at powers of two", () => {
  expect(addressTicks(4096)).toEqual([0, 1024, 2048, 3072, 4096]);
  expect(addressTicks(6144)).toEqual([0, 2048, 4096, 6144]);
  expect(addressTicks(0)).toEqual([0]);
});
