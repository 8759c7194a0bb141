/** The kernels of a plan as hulls around what they compute. */
import { bytes, microseconds, repeats } from "../lib/format";
import type { FusionRefusal, Kernel } from "../wire";
import type { Grouping, Hull } from "./drawing";

export interface Plan {
  /** Of one graph and one backend, in order. */
  kernels: readonly Kernel[];
  refusals: readonly FusionRefusal[];
  hueOf: (kernel: Kernel) => number | null;
  /** What a kernel is estimated to take, in microseconds. */
  costOf: (kernel: Kernel) => number | null;
}

export function kernelGrouping({ kernels, refusals, hueOf, costOf }: Plan): Grouping {
  const byValue = new Map<number, string[]>();
  const add = (value: number, id: string) => {
    const known = byValue.get(value);
    if (known) known.push(id);
    else byValue.set(value, [id]);
  };
  for (const { id, values } of kernels) for (const value of values) add(value, id);
  return {
    hulls: kernels.map((kernel) => hullOf(kernel, hueOf(kernel), costOf(kernel))),
    of: ({ results }) => [...new Set(results.flatMap(({ id }) => byValue.get(id) ?? []))],
    refused: refusals.flatMap(({ from_value: from, to_value: to, reason }) =>
      from === null || to === null ? [] : { from, to, reason },
    ),
  };
}

/** "k0" of k0_reduce_add. */
export const numberOf = (id: string): string => /^k\d+(?=_|$)/.exec(id)?.[0] ?? id;

function hullOf(kernel: Kernel, hue: number | null, cost: number | null): Hull {
  const { id, kind, library, ops, bytes_read, bytes_written, nodes } = kernel;
  const parts = [
    numberOf(id),
    kind,
    library === null || library === kind ? "" : library,
    bytes(bytes_read + bytes_written),
    cost === null ? "" : microseconds(cost),
  ];
  return {
    id,
    label: parts.filter(Boolean).join(" · "),
    title: `${id}: ${repeats(ops)}`,
    hue,
    nodes,
  };
}
