/** Refusals to fuse by their reason: what the core says of one edge without the names of its kernels
 * and values, and what a person could change, or that nothing needs doing. */
import { groupBy } from "./group";

export interface RefusalKind {
  /** The reason, which many edges share. */
  why: string;
  remedy: string;
}

interface Row {
  said: RegExp;
  /** In place of what the core says of one edge; where it is left out, that without its names. */
  why?: string;
  remedy: string;
}

const NO_SUCH_KERNEL =
  "Nothing to do where both shapes are needed: operations share a loop only where they walk the same elements.";
const NOT_WORTH_IT = "Nothing to do: by the cost model, fusing would make it slower.";
const TOO_LARGE =
  "Nothing to do: a longer kernel would spill what it computes to memory, which costs what fusing saves.";
const SCATTERED =
  "Nothing to do where an index says what is written: the write has to end before another kernel reads it.";
const BESIDE =
  "Nothing to do: the two launches run one after the other, and what is between them goes through memory once.";

/** In this order: the first that fits. */
const ROWS: readonly Row[] = [
  {
    said: /is considered as one launch with .*, and with no other/,
    why: "The kernel is considered as a part of another product's launch, and may be a part of one only",
    remedy:
      "Nothing to do: the candidates of the launch that it is considered with say what both ways cost.",
  },
  {
    said: /also computes .*, which cannot wait for the product/,
    why: "The kernel also computes another value, which cannot wait for the product",
    remedy:
      "If nothing else needs that other value, do not compute it there; a residual connection or a gradient does need it, and then nothing needs doing.",
  },
  {
    said: /between them is read by .* and /,
    why: "The value between them has several readers: it is written to memory in any case",
    remedy:
      "Nothing to do where all readers are needed; readers that do the same, as products by several weights, can be made one over joined weights.",
  },
  {
    said: /is two operands of/,
    why: "The value between them is two operands of its reader",
    remedy: "Nothing to do: both operands are read from the one buffer.",
  },
  {
    said: /between them is returned/,
    why: "The value between them is a result: it is written to memory in any case",
    remedy:
      "Leave it out of what the function returns, if nobody reads it; else nothing needs doing.",
  },
  {
    said: /another kernel stands between them/,
    remedy:
      "Nothing to do: a kernel needs the one and is needed by the other, so the two cannot be one.",
  },
  {
    said: /every element needs the total of all/,
    remedy:
      "If a total of each row is enough, reduce along one dimension, as x.sum(-1); a total of all takes two launches.",
  },
  {
    said: /keeps other axes than the kernel's/,
    why: "A reduction keeps other axes than the kernel that would join it",
    remedy: NO_SUCH_KERNEL,
  },
  {
    said: /is iterated over .*, *the kernel over/,
    why: "The two are loops over different shapes",
    remedy: NO_SUCH_KERNEL,
  },
  {
    said: /runs over .*, .* over|reduces .*, the kernel reduces/,
    why: "Two reductions run over different numbers of elements",
    remedy: NO_SUCH_KERNEL,
  },
  {
    said: /is not an affine view of/,
    why: "A view between them cannot be read in place: its elements stand in another order in memory",
    remedy:
      "Move the reshape or the transpose to the end, or to the beginning; a copy into the new order is needed where it stands.",
  },
  {
    said: /the weights are needed elsewhere too/,
    remedy:
      "If no gradient is needed, call it under torch.no_grad(); a training step keeps the weights, and then nothing needs doing.",
  },
  {
    said: /walks its updates|changes .*, which must be whole before|is whole only after its kernel/,
    why: "A write at indices has to be whole before or after the kernel that would join it",
    remedy: SCATTERED,
  },
  {
    said: /is needed (again|elsewhere|in part|where)|what .* run to is needed|runs against another scan/,
    why: "A running total or a reduction is needed elsewhere than where the loop stands",
    remedy: "Nothing to do: it has to be whole in memory before it is read in another order.",
  },
  {
    said: /torch was told to be deterministic/,
    remedy:
      "Call torch.use_deterministic_algorithms(False), if sums may be made in another order each time.",
  },
  {
    said: /the kernel would (have|touch|keep|compute)/,
    why: "The kernel would be too large: more than registers, buffers or operations allow",
    remedy: TOO_LARGE,
  },
  {
    said: /would be done \d+ times over/,
    why: "Operations would be done several times over, which costs more than fusing saves",
    remedy: NOT_WORTH_IT,
  },
  {
    said: /one goes by rows, the other by columns/,
    why: "One goes by rows, the other by columns: together they would read across cache lines",
    remedy:
      "Keep the operand in the other layout, if that is yours to choose; else nothing needs doing: fusing would make it slower.",
  },
  {
    said: /us as one launch/,
    why: "As one launch it would take longer than apart, by the cost model",
    remedy: `${NOT_WORTH_IT} To see what it takes, fuse the edge in the fusion graph.`,
  },
  {
    said: /from element to element/,
    remedy: "Nothing to do: apart, both loops run in vectors, which is faster.",
  },
  { said: /not possible as one launch/, remedy: BESIDE },
  {
    said: /is a library call/,
    remedy:
      "Write it with operations that the core lowers, if what is around it costs more than the call.",
  },
  {
    said: /runs kernels of its own, and no kernel reaches into it/,
    remedy:
      "Move what does not change out of the loop or the branch; what is inside is fused by itself.",
  },
  {
    said: /is no loop that others could join|not lowered to a loop|neither is a part/,
    remedy: BESIDE,
  },
  { said: /a (convolution|matrix product) takes in/, remedy: BESIDE },
  {
    said: /has nothing to (sum|multiply)/,
    remedy: "Nothing to do: an empty product costs nothing.",
  },
];

const NAMES = /%\d+|\b(?:k\d+_\w+|b\d+|out\d+)\b/g;
const SEE = /: see the candidates of \S+$/;
/** The only name at the head of what is refused: the sentence is as true without it. */
const PART = /\((?:k\d+_\w+): /;

/** The kind of a reason as the core gives it. */
export function refusalKind(reason: string): RefusalKind {
  const row = ROWS.find(({ said }) => said.test(reason));
  return { why: row?.why ?? nameless(reason), remedy: row?.remedy ?? "" };
}

const nameless = (reason: string): string =>
  reason.replace(SEE, "").replace(PART, "(").replace(NAMES, "a value");

/** Refusals by their kind, the most common first. */
export function byReason<T extends { reason: string }>(
  refusals: readonly T[],
): (RefusalKind & { refusals: readonly T[] })[] {
  const groups = groupBy(refusals, ({ reason }) => refusalKind(reason).why);
  return [...groups.values()]
    .map((own) => ({ ...refusalKind(own[0]!.reason), refusals: own }))
    .sort((a, b) => b.refusals.length - a.refusals.length);
}
