/** The kernels of a plan as hulls around what they compute. */
import { bytes, microseconds, repeats } from "../lib/format";
import { groupBy } from "../lib/group";
import type { FusionRefusal, Kernel } from "../wire";
import type { Grouping, Hull } from "./parts";

export interface Plan {
  /** Of one graph and one backend, in order. */
  kernels: readonly Kernel[];
  refusals: readonly FusionRefusal[];
  hueOf: (kernel: Kernel) => number | null;
  /** What a kernel is estimated to take, in microseconds. */
  costOf: (kernel: Kernel) => number | null;
}

export function kernelGrouping({ kernels, refusals, hueOf, costOf }: Plan): Grouping {
  const byValue = idsBy(kernels, ({ values }) => values);
  // Of a report from before kernels said their values, by the captured operations.
  const byNode = byValue.size > 0 ? new Map<number, string[]>() : idsBy(kernels, (k) => k.nodes);
  return {
    hulls: kernels.map((kernel) => hullOf(kernel, hueOf(kernel), costOf(kernel))),
    of: ({ results, nodes }) => {
      const computed = results.flatMap(({ id }) => byValue.get(id) ?? []);
      return [...new Set([...computed, ...nodes.flatMap((n) => byNode.get(n) ?? []).slice(0, 1)])];
    },
    refused: refusals.flatMap(({ from_value: from, to_value: to, reason }) =>
      from === null || to === null ? [] : { from, to, reason },
    ),
  };
}

function idsBy(
  kernels: readonly Kernel[],
  keysOf: (kernel: Kernel) => readonly number[],
): Map<number, string[]> {
  const pairs = kernels.flatMap((kernel) => keysOf(kernel).map((key) => ({ key, id: kernel.id })));
  const groups = groupBy(pairs, ({ key }) => key);
  return new Map([...groups].map(([key, found]) => [key, found.map(({ id }) => id)]));
}

/** "k0" of k0_reduce_add. */
export const numberOf = (id: string): string => /^k\d+(?=_|$)/.exec(id)?.[0] ?? id;

function hullOf(kernel: Kernel, hue: number | null, cost: number | null): Hull {
  const { id, kind, library, ops, bytes_read, bytes_written, nodes } = kernel;
  const moved = bytes_read + bytes_written;
  const parts = [
    numberOf(id),
    kind,
    library === null || library === kind ? "" : library,
    bytes(moved),
    cost === null ? "" : microseconds(cost),
  ];
  return {
    id,
    label: parts.filter(Boolean).join(" · "),
    title: `${id}: ${repeats(ops)}`,
    name: kind,
    hue,
    nodes,
    moved,
    parent: null,
    isFrame: false,
    times: 1,
  };
}
