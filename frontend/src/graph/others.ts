/**
 * What another compiler runs as one, as hulls around the same operations: its groups name captured
 * operations, and the IR's operations say which of these they come from.
 */
import { edgesOf } from "../lib/agreement";
import { bytes } from "../lib/format";
import { HUES } from "../lib/linemap";
import { isOfPlan } from "../lib/plans";
import type { FusionGroup, Program } from "../wire";
import type { Grouping, Hull } from "./parts";

/** The compilers that say what they run as one, for a device. */
export const grouping = ({ fusion_groups }: Program, backend: string): string[] => [
  ...new Set(fusion_groups.filter((g) => isOfPlan(g, backend)).map(({ compiler }) => compiler)),
];

export function othersGrouping(program: Program, compiler: string, backend: string): Grouping {
  const groups = program.fusion_groups.filter(
    (group) => group.compiler === compiler && isOfPlan(group, backend) && group.nodes.length > 0,
  );
  const home = homesOf(groups);
  const reasons = new Map(
    edgesOf(program, backend).flatMap(({ from, to, verdicts }) => {
      const verdict = verdicts.get(compiler);
      return verdict?.state === "not fused" ? [[`${from} ${to}`, verdict.reason] as const] : [];
    }),
  );
  return {
    hulls: groups.map(hullOf),
    of: ({ nodes }) => [...new Set(nodes.flatMap((node) => home.get(node) ?? []))].slice(0, 1),
    refused: [],
    reasonsOf: (from, to) => from.flatMap((a) => to.flatMap((b) => reasons.get(`${a} ${b}`) ?? [])),
  };
}

function hullOf(group: FusionGroup, at: number): Hull {
  const parts = [group.name, group.kind, group.bytes === null ? "" : bytes(group.bytes)];
  return {
    id: idOf(group, at),
    label: short(parts.filter(Boolean).join(" · ")),
    title: parts.filter(Boolean).join(", "),
    name: group.kind || group.name,
    hue: at % HUES,
    nodes: group.nodes,
    moved: group.bytes,
    parent: null,
    isFrame: false,
    times: 1,
  };
}

const idOf = ({ name }: FusionGroup, at: number): string => `${at}/${name}`;

const LONGEST = 48;

/** Kernels that are named after everything in them are known by the ends of their names. */
const short = (text: string): string => {
  const [name = "", ...rest] = text.split(" · ");
  const room = LONGEST - rest.join(" · ").length;
  const half = Math.max(6, Math.floor((room - 1) / 2));
  if (name.length <= 2 * half + 1) return text;
  return [`${name.slice(0, half)}…${name.slice(-half)}`, ...rest].join(" · ");
};

/**
 * For each captured operation the group that has it. A compiler that knows operations by their line
 * alone names several where a function is called again: of those that claim one, it is given to the
 * nearest in the order of the program, and of equally near ones to the smallest.
 */
export function homesOf(groups: readonly FusionGroup[]): Map<number, string> {
  const claims = new Map<number, number[]>();
  groups.forEach(({ nodes }, at) => {
    for (const node of nodes) claims.set(node, [...(claims.get(node) ?? []), at]);
  });
  const places = placesOf(groups, claims);
  return new Map(
    [...claims].map(([node, at]) => {
      const far = (group: number) => Math.abs(places[group]! - node);
      const size = (group: number) => groups[group]!.nodes.length;
      const [best] = [...at].sort((a, b) => far(a) - far(b) || size(a) - size(b));
      return [node, idOf(groups[best!]!, best!)];
    }),
  );
}

/** Where each group stands: amid the operations that it alone claims; one without such is taken to
 * stand between its neighbours. */
function placesOf(
  groups: readonly FusionGroup[],
  claims: ReadonlyMap<number, readonly number[]>,
): number[] {
  const own = groups.map(({ nodes }) => {
    const alone = nodes.filter((node) => claims.get(node)!.length === 1).sort((a, b) => a - b);
    return alone[Math.floor(alone.length / 2)];
  });
  return own.map((place, at) => {
    if (place !== undefined) return place;
    const before = own.slice(0, at).findLast((other) => other !== undefined);
    const after = own.slice(at + 1).find((other) => other !== undefined);
    if (before === undefined && after === undefined) return Math.min(...groups[at]!.nodes);
    return ((before ?? -1) + (after ?? before! + 2)) / 2;
  });
}
