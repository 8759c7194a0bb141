import { expect, test } from "vitest";
import { DEFAULT_OPTIONS } from "../../wire";
import { hasNeeds, onlyNeeds } from "./needs";

const counted = { measure: false, insides: [], compilers: ["core" as const] };
const text = "import torch";

test("a run that is made to be checked has what is needed, and nothing that takes longer", () => {
  const chosen = { ...DEFAULT_OPTIONS, inputs: "f32[8]", timeline: true, trials: true };
  expect(onlyNeeds({ ...chosen, insides: ["inductor"] }, counted)).toEqual({
    ...DEFAULT_OPTIONS,
    inputs: "f32[8]",
    measure: false,
    compilers: ["core"],
  });
});

test("a run that has more than is needed can be checked as well", () => {
  const needs = { ...counted, measure: true, insides: ["dynamo" as const] };
  expect(hasNeeds(DEFAULT_OPTIONS, text, counted)).toBe(true);
  expect(hasNeeds(DEFAULT_OPTIONS, text, needs)).toBe(false);
  expect(hasNeeds({ ...DEFAULT_OPTIONS, insides: ["dynamo"] }, text, needs)).toBe(true);
  expect(hasNeeds({ ...DEFAULT_OPTIONS, measure: false }, text, needs)).toBe(false);
  const xla = { ...counted, compilers: ["core" as const, "xla" as const] };
  expect(hasNeeds(DEFAULT_OPTIONS, text, xla)).toBe(false);
  expect(hasNeeds(DEFAULT_OPTIONS, "import jax", xla)).toBe(true);
});
