import { describe, expect, it } from "vitest";
import { byReason, ownReason, refusalKind, type Refused } from "./refusals";

/** Sentences of the core, of some kinds each. */
const SAID: readonly (readonly [kind: Refused["kind"], reason: string])[] = [
  [
    "also computes",
    "k1_reduce_gather_add also computes b7, and a prologue computes its operand alone",
  ],
  [
    "in another launch",
    "k3_add can be in one launch only, and is considered with k4_multiply, k6_matmul: see the candidates of k8_attention",
  ],
  [
    "kernel between",
    "another launch must run between them: it depends on one, and the other depends on it",
  ],
  [
    "not possible as one",
    "not possible as one launch (k11_reduce_add_divide: the kernel reduces across the rows of the matrix): see the candidates of k10_matmul",
  ],
  ["other axes", "the result of %41 (reduce) does not have the kernel's parallel axes (288,)"],
  ["result", "out7 between them is a result of the program, so it must be in memory"],
  [
    "several readers",
    "b311 between them is read by k1_matmul and k3_matmul, so it must be in memory",
  ],
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
      refused(
        "kernel between",
        "another launch must run between them: it depends on one, and the other depends on it",
      ),
      refused(
        "in another launch",
        "k13_add can be in one launch only, and is considered with k12_matmul",
      ),
      refused(
        "in another launch",
        "k23_add can be in one launch only, and is considered with k22_matmul",
      ),
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
      said("k11_reduce", "the kernel reduces across the rows of the matrix"),
      said("k21_reduce", "the kernel reduces across the rows of the matrix"),
      said("k5_multiply", "the prologue has other results beside the operand"),
    ]);
    expect(found.map(({ why }) => why)).toEqual([
      "not possible as one launch (the kernel reduces across the rows of the matrix)",
      "not possible as one launch (the prologue has other results beside the operand)",
    ]);
  });

  it("from before there were kinds, and of kinds of tomorrow, say what the core said", () => {
    const { why, remedy } = refusalKind(refused("", "%3 (sort) dislikes k1_add"));
    const tomorrow = refused("tomorrow" as Refused["kind"], "%3 (sort) dislikes k1_add");
    expect(refusalKind(tomorrow)).toEqual({ why, remedy });
    expect([why, remedy]).toEqual(["a value (sort) dislikes a value", ""]);
  });
});
