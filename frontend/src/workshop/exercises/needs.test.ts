import { expect, test } from "vitest";
import { DEFAULT_OPTIONS } from "../../wire";
import { hasNeeds, withNeeds } from "./needs";

const plain = { ...DEFAULT_OPTIONS, measure: false };

test("a run is asked for what the checks need, and for nothing else", () => {
  expect(withNeeds(plain, {})).toEqual(plain);
  const needs = { measure: true, insides: ["dynamo" as const] };
  expect(withNeeds(plain, needs)).toEqual({ ...plain, measure: true, insides: ["dynamo"] });
  expect(hasNeeds(plain, needs)).toBe(false);
  expect(hasNeeds(withNeeds(plain, needs), needs)).toBe(true);
});

test("compilers are added to those that were chosen", () => {
  const needs = { compilers: ["core" as const, "xla" as const] };
  expect(withNeeds(plain, needs).compilers).toEqual(["core", "xla"]);
  const chosen = { ...plain, compilers: ["core" as const, "inductor" as const] };
  expect(withNeeds(chosen, needs).compilers).toEqual(["core", "inductor", "xla"]);
});
