import { describe, expect, it } from "vitest";
import { byReason, refusalKind } from "./refusals";

/** What the core says of a GPT of twelve blocks, one sentence of each kind. */
const SAID = [
  "k1_reduce_gather_add also computes b7, which cannot wait for the product",
  "k3_add is considered as one launch with k4_multiply, k5_multiply_reshape, k6_matmul, and with no other: see the candidates of k8_attention",
  "another kernel stands between them",
  "not possible as one launch (k11_reduce_add_divide: it reduces, and needs whole rows of the product): see the candidates of k10_matmul",
  "every element needs the total of all, which a second launch must wait for",
  "%41 (reduce) keeps other axes than the kernel's (288,)",
  "%85 (multiply) is iterated over (1, 4, 1, 24), the kernel over (96, 288)",
  "%117 (reshape) is not an affine view of %115 (transpose) here",
  "%1799 (reduce) runs over (384,), %1794 (reduce) over (96,)",
  "out7 between them is returned: it is written in any case",
  "the weights are needed elsewhere too, as a gradient needs them",
  "b311 between them is read by k1_matmul and k3_matmul",
  "%2205 (scatter) changes %2204 (reshape), which must be whole before",
  "its 3 operations would be done 4 times over: 2.1 us more against 1.0 us saved",
  "14.7 us as one launch (rows in registers), 9.1 apart: see the candidates of k3_matmul",
];

/** What names one kernel, value or buffer. */
const NAME = /%\d|\bk\d+_|\bb\d+\b|\bout\d+\b/;

const refusals = (...reasons: string[]) => reasons.map((reason) => ({ reason }));

describe("refusals by reason", () => {
  it("have reasons without the name of any kernel or value, and a remedy", () => {
    const kinds = SAID.map(refusalKind);
    expect(kinds.filter(({ why }) => NAME.test(why))).toEqual([]);
    expect(SAID.filter((said) => refusalKind(said).remedy === "")).toEqual([]);
    expect(new Set(kinds.map(({ why }) => why)).size).toBe(SAID.length);
  });

  it("are one where only their names differ, the most common first", () => {
    const found = byReason(
      refusals(
        "another kernel stands between them",
        "k13_add_erf is considered as one launch with k12_matmul, and with no other: see the candidates of k13_x",
        "k23_add_erf is considered as one launch with k22_matmul, and with no other",
      ),
    );
    expect(found.map((each) => each.refusals.length)).toEqual([2, 1]);
  });

  it("keep what a template says, without whom it says it of", () => {
    const said = (kernel: string, why: string) =>
      `not possible as one launch (${kernel}: ${why}): see the candidates of k10_matmul`;
    const found = byReason(
      refusals(
        said("k11_reduce", "it reduces over rows"),
        said("k21_reduce", "it reduces over rows"),
        said("k5_multiply", "it writes more than the operand"),
      ),
    );
    expect(found.map(({ why }) => why)).toEqual([
      "not possible as one launch (it reduces over rows)",
      "not possible as one launch (it writes more than the operand)",
    ]);
  });

  it("that nobody foresaw stand by themselves, without a remedy", () => {
    const { why, remedy } = refusalKind("%3 (sort) dislikes k1_add");
    expect([why, remedy]).toEqual(["a value (sort) dislikes a value", ""]);
  });
});
