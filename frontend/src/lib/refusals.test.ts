import { describe, expect, it } from "vitest";
import { byReason, ownReason, refusalKind, type Refused } from "./refusals";

/** Sentences of the core, of some kinds each. */
const SAID: readonly (readonly [kind: Refused["kind"], reason: string])[] = [
  ["also computes", "k1_reduce_gather_add also computes b7, which cannot wait for the product"],
  [
    "in another launch",
    "k3_add is considered as one launch with k4_multiply, k6_matmul, and with no other: see the candidates of k8_attention",
  ],
  ["kernel between", "another kernel stands between them"],
  [
    "not possible as one",
    "not possible as one launch (k11_reduce_add_divide: it reduces over rows): see the candidates of k10_matmul",
  ],
  ["other axes", "%41 (reduce) keeps other axes than the kernel's (288,)"],
  ["result", "out7 between them is returned: it is written in any case"],
  ["several readers", "b311 between them is read by k1_matmul and k3_matmul"],
  [
    "slower as one",
    "14.7 us as one launch (rows in registers), 9.1 apart: see the candidates of k3_matmul",
  ],
];

/** What names one kernel, value or buffer. */
const NAME = /%\d|\bk\d+_|\bb\d+\b|\bout\d+\b/;

const refused = (kind: Refused["kind"], reason: string): Refused => ({ kind, reason });

describe("refusals by reason", () => {
  it("have reasons without the name of any kernel or value, and a remedy", () => {
    const kinds = SAID.map(([kind, reason]) => refusalKind({ kind, reason }));
    expect(kinds.filter(({ why }) => NAME.test(why))).toEqual([]);
    expect(kinds.filter(({ remedy }) => remedy === "")).toEqual([]);
    expect(new Set(kinds.map(({ why }) => why)).size).toBe(SAID.length);
  });

  it("say of one edge what their kind does not say already", () => {
    const owns = SAID.slice(0, 3).map(([kind, reason]) => ownReason({ kind, reason }));
    expect(owns).toEqual([
      "k1_reduce_gather_add also computes b7",
      "k3_add with k4_multiply, k6_matmul: see the candidates of k8_attention",
      "",
    ]);
  });

  it("are one where only their names differ, the most common first", () => {
    const found = byReason([
      refused("kernel between", "another kernel stands between them"),
      refused("in another launch", "k13_add is considered as one launch with k12_matmul"),
      refused("in another launch", "k23_add is considered as one launch with k22_matmul"),
    ]);
    expect(found.map((each) => each.refusals.length)).toEqual([2, 1]);
  });

  it("keep what a template says, without whom it says it of", () => {
    const said = (kernel: string, why: string) =>
      refused(
        "not possible as one",
        `not possible as one launch (${kernel}: ${why}): see the candidates of k10_matmul`,
      );
    const found = byReason([
      said("k11_reduce", "it reduces over rows"),
      said("k21_reduce", "it reduces over rows"),
      said("k5_multiply", "it writes more than the operand"),
    ]);
    expect(found.map(({ why }) => why)).toEqual([
      "not possible as one launch (it reduces over rows)",
      "not possible as one launch (it writes more than the operand)",
    ]);
  });

  it("from before there were kinds, and of kinds of tomorrow, say what the core said", () => {
    const { why, remedy } = refusalKind(refused("", "%3 (sort) dislikes k1_add"));
    const tomorrow = refused("tomorrow" as Refused["kind"], "%3 (sort) dislikes k1_add");
    expect(refusalKind(tomorrow)).toEqual({ why, remedy });
    expect([why, remedy]).toEqual(["a value (sort) dislikes a value", ""]);
  });
});
