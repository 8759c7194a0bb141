/** Refusals to fuse by their kind: what many edges have in common, and what a person could change, or
 * that nothing needs doing. */
import type { FusionRefusal } from "../wire";
import { groupBy } from "./group";

export interface RefusalKind {
  /** The reason, which many edges share. */
  why: string;
  remedy: string;
}

/** What the page has of a refusal to tell its kind by. */
export type Refused = Pick<FusionRefusal, "reason" | "kind">;

interface Row {
  /** In place of what the core says of one edge; where it is left out, that without its names. */
  why?: string;
  remedy: string;
  /** Of what the core says of one edge, what `why` does not say already. */
  own?: (reason: string) => string;
}

const NO_SUCH_KERNEL =
  "Nothing to do where both shapes are needed: operations share a loop only where they walk the same elements.";
const NOT_WORTH_IT = "Nothing to do: by the cost model, fusing would make it slower.";
const BESIDE =
  "Nothing to do: the two launches run one after the other, and what is between them goes through memory once.";

const ROWS: Readonly<Record<Exclude<FusionRefusal["kind"], "">, Row>> = {
  forbidden: { remedy: "Take the override back: it forbids this fusion." },
  "in another launch": {
    why: "The kernel is considered as a part of another product's launch, and may be a part of one only",
    own: (reason) =>
      reason.replace(" can be in one launch only, and is considered with ", " with "),
    remedy:
      "Nothing to do: the candidates of the launch that it is considered with say what both ways cost.",
  },
  "also computes": {
    why: "The kernel also computes another value, and a prologue computes its operand alone",
    own: (reason) => reason.replace(", and a prologue computes its operand alone", ""),
    remedy:
      "If nothing else needs that other value, do not compute it there; a residual connection or a gradient does need it, and then nothing needs doing.",
  },
  "several readers": {
    why: "The value between them has several readers: it must be in memory",
    remedy:
      "Nothing to do where all readers are needed; readers that do the same, as products by several weights, can be made one over joined weights.",
  },
  "two operands": {
    why: "The value between them is two operands of its reader: it must be in memory",
    remedy: "Nothing to do: both operands are read from the one buffer.",
  },
  result: {
    why: "The value between them is a result of the program: it must be in memory",
    remedy:
      "Leave it out of what the function returns, if nobody reads it; else nothing needs doing.",
  },
  "kernel between": {
    remedy:
      "Nothing to do: a kernel needs the one and is needed by the other, so the two cannot be one.",
  },
  "total of all": {
    remedy:
      "If a total of each row is enough, reduce along one dimension, as x.sum(-1); a total of all takes two launches.",
  },
  "other axes": {
    why: "A reduction's result does not have the parallel axes of the kernel that would compute it",
    remedy: NO_SUCH_KERNEL,
  },
  "other shapes": { why: "The two are loops over different shapes", remedy: NO_SUCH_KERNEL },
  "other extents": {
    why: "Two reductions run over different numbers of elements",
    remedy: NO_SUCH_KERNEL,
  },
  "no affine view": {
    why: "A view between them cannot be read in place: its elements stand in another order in memory",
    remedy:
      "Move the reshape or the transpose to the end, or to the beginning; a copy into the new order is needed where it stands.",
  },
  "attention kept": {
    remedy:
      "If no gradient is needed, call it under torch.no_grad(); a training step keeps the weights, and then nothing needs doing.",
  },
  "no attention": { remedy: BESIDE },
  "scattered write": {
    why: "A scattered write has to be complete before its result is read, and its operand before it",
    remedy:
      "Nothing to do where an index says what is written: the write has to end before another kernel reads it.",
  },
  "needed elsewhere": {
    why: "A scan or a reduction is read at other elements than the one that the loop computes",
    remedy: "Nothing to do: it has to be whole in memory before it is read in another order.",
  },
  deterministic: {
    remedy:
      "Call torch.use_deterministic_algorithms(False), if sums may be made in another order each time.",
  },
  "too large": {
    why: "The kernel would be too large: more than registers, buffers or operations allow",
    remedy:
      "Nothing to do: a longer kernel would spill what it computes to memory, which costs what fusing saves.",
  },
  "repeated work": {
    why: "Operations would be computed several times over, which costs more than fusing saves",
    remedy: NOT_WORTH_IT,
  },
  "across memory": {
    why: "One runs along rows, the other along columns: as one they would read across cache lines",
    remedy:
      "Keep the operand in the other layout, if that is yours to choose; else nothing needs doing: fusing would make it slower.",
  },
  "slower as one": {
    why: "As one launch it would take longer than apart, by the cost model",
    remedy: `${NOT_WORTH_IT} To see what it takes, fuse the edge in the fusion graph.`,
  },
  "scan loop": {
    remedy: "Nothing to do: apart, both loops run in vectors, which is faster.",
  },
  "not possible as one": { remedy: BESIDE },
  "size not known": {
    remedy:
      "Give the size as a number, if it is always the same: which kernel is right depends on it.",
  },
  "library call": {
    remedy:
      "Write it with operations that the core lowers, if what is around it costs more than the call.",
  },
  "own kernels": {
    remedy:
      "Move what does not change out of the loop or the branch; what is inside is fused by itself.",
  },
  "no loop": { remedy: BESIDE },
  "takes in nothing": { remedy: BESIDE },
  "no elements": { remedy: "Nothing to do: what has no elements costs nothing." },
};

const NAMES = /%\d+|\b(?:k\d+_\w+|b\d+|out\d+)\b/g;
const SEE = /: see the candidates of \S+$/;
/** The only name at the head of what is refused: the sentence is as true without it. */
const PART = /\((?:k\d+_\w+): /;

/** The kind of a refusal; of one from before there were kinds what it says, without its names. */
export function refusalKind({ reason, kind }: Refused): RefusalKind {
  const row = kind === "" ? undefined : ROWS[kind];
  return { why: row?.why ?? nameless(reason), remedy: row?.remedy ?? "" };
}

/** What is true of one edge alone; blank where its kind says it all. */
export function ownReason({ reason, kind }: Refused): string {
  const row = kind === "" ? undefined : ROWS[kind];
  if (refusalKind({ reason, kind }).why === reason) return "";
  return row?.own?.(reason) ?? reason;
}

const nameless = (reason: string): string =>
  reason.replace(SEE, "").replace(PART, "(").replace(NAMES, "a value");

/** Refusals by their kind, the most common first. */
export function byReason<T extends Refused>(
  refusals: readonly T[],
): (RefusalKind & { refusals: readonly T[] })[] {
  const groups = groupBy(refusals, (refusal) => refusalKind(refusal).why);
  return [...groups.values()]
    .map((own) => ({ ...refusalKind(own[0]!), refusals: own }))
    .sort((a, b) => b.refusals.length - a.refusals.length);
}
