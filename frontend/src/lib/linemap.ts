/**
 * Which lines of which text belong together.
 *
 * The keys are ids: from 0 on those of captured operations, below 0 values of the core's IR. Every
 * text says for each of its lines which ids it comes from. A selection has values where one can be
 * told, and in any case the captured operations: they are what lights up in a text that does not
 * speak of the values.
 */
import type { Artifact, CapturedOp, Kernel } from "../wire";
import { firstPlace, firstPlaces } from "./equal";

/** For each line (0-based) the ids that it comes from; a missing entry has none. */
export type LineMap = readonly (readonly number[])[];

export type NodeSet = ReadonlySet<number>;

export const NO_NODES: NodeSet = new Set();

export const HUES = 8;

/** What is selected: captured operations, and of these the values if they are known. */
export interface Chosen {
  nodes: NodeSet;
  values: NodeSet;
}

const isNode = (id: number): boolean => id >= 0;

/** The 1-based lines of the values that are chosen; where the text has none of them, those of the
 * captured operations. */
export function litLines(map: LineMap, { nodes, values }: Chosen): number[] {
  const linesOf = (isLit: (ids: readonly number[]) => boolean) =>
    map.flatMap((ids, index) => (isLit(ids) ? [index + 1] : []));
  if (values.size > 0) {
    const found = linesOf((ids) => hasValue(ids, nodes, values));
    if (found.length > 0) return found;
  }
  return nodes.size === 0 ? [] : linesOf((ids) => ids.some((id) => nodes.has(id)));
}

/** How closely each of the lit lines of a text speaks of what is chosen, 0 the closest: what computes
 * it; then loads, which have no value; then what stands for more, as a kernel's signature does. */
export function closeness(
  map: LineMap,
  text: string,
  lit: readonly number[],
): ReadonlyMap<number, number> {
  const idsOf = (line: number) => map[line - 1] ?? [];
  const lines = text.split("\n");
  const valued = lit.filter((line) => !idsOf(line).every(isNode));
  const least = Math.min(...(valued.length > 0 ? valued : lit).map((line) => idsOf(line).length));
  const rankOf = (line: number) => {
    if (idsOf(line).length > least || SIGNATURE.test(lines[line - 1] ?? "")) return 2;
    return valued.length > 0 && idsOf(line).every(isNode) ? 1 : 0;
  };
  return new Map(lit.map((line) => [line, rankOf(line)]));
}

/** What declares a kernel, or takes its arguments, in Triton, C and PTX. */
const SIGNATURE = /^\s*(?:def |(?:static |extern )*void |\.(?:visible|param)|ld\.param)/;

/** Lines in the order of their closeness, and of the text where that is one. */
export const closestFirst = (
  lines: readonly number[],
  rank: ReadonlyMap<number, number> = new Map(),
): number[] => [...lines].sort((a, b) => (rank.get(a) ?? 0) - (rank.get(b) ?? 0));

/** Values are numbered graph by graph: those of another graph come from other operations. */
function hasValue(ids: readonly number[], nodes: NodeSet, values: NodeSet): boolean {
  if (!ids.some((id) => values.has(id))) return false;
  return ids.some((id) => nodes.has(id)) || !ids.some(isNode);
}

/** What a 1-based line comes from: its values, unless its captured operations are asked for whole. */
export function chosenOfLine(map: LineMap, line: number, whole: boolean): Chosen {
  const ids = map[line - 1] ?? [];
  return {
    nodes: new Set(ids.filter(isNode)),
    values: whole ? NO_NODES : new Set(ids.filter((id) => !isNode(id))),
  };
}

/** Of the operations of a line those that the 1-based column is in: of the expressions that it is within,
 * which may begin at one column as `a @ b` and `a @ b + c` do, the innermost; where none is known to
 * end behind it, what begins last before it. */
export function atColumn(
  operations: readonly CapturedOp[],
  column: number | null,
): readonly CapturedOp[] {
  if (column === null) return operations;
  const begun = operations.filter((each) => each.column !== null && each.column <= column);
  const around = begun.filter(({ end }) => (end ?? Infinity) > column);
  const [first] = [...(around.length > 0 ? around : begun)].sort(innermostFirst);
  if (!first) return operations;
  return begun.filter((each) => each.column === first.column && each.end === first.end);
}

const innermostFirst = (a: CapturedOp, b: CapturedOp): number =>
  b.column! - a.column! || (a.end ?? Infinity) - (b.end ?? Infinity);

/** The snippet's own line map, from where each operation was captured. */
export function sourceMap(operations: readonly CapturedOp[]): LineMap {
  const map: number[][] = [];
  for (const { id, line } of operations) {
    if (line !== null) (map[line - 1] ??= []).push(id);
  }
  return Array.from(map, (ids) => ids ?? []);
}

/** Operation id -> hues of the kernels of one plan that it runs in; it may be recomputed in several.
 * Equal kernels have one hue. */
export type Hues = ReadonlyMap<number, readonly number[]>;

export const NO_HUES: Hues = new Map();

export function huesOf(kernels: readonly Kernel[]): Hues {
  const hues = new Map<number, number[]>();
  const places = firstPlaces(kernels);
  kernels.forEach((kernel, index) => {
    for (const node of kernel.nodes) {
      const known = hues.get(node) ?? [];
      const hue = (places[index] ?? index) % HUES;
      if (!known.includes(hue)) hues.set(node, [...known, hue]);
    }
  });
  return hues;
}

/** For each line the hues of its kernels; a text of one kernel has that kernel's everywhere. */
export function lineHues(map: LineMap, hues: Hues, only: number | null = null): number[][] {
  return map.map((ids) => {
    const found = new Set(ids.flatMap((id) => hues.get(id) ?? []));
    if (only !== null) return found.size > 0 ? [only] : [];
    return [...found].sort((a, b) => a - b);
  });
}

/** The hue of a kernel by its id, in any of `graphs`; null where the plan has no such kernel. */
export function hueOfKernel(
  kernels: readonly Kernel[],
  id: string | null,
  graphs: ReadonlySet<string>,
): number | null {
  const index = kernels.findIndex((kernel) => kernel.id === id && graphs.has(kernel.graph));
  return index < 0 ? null : firstPlace(kernels, index) % HUES;
}

/** Where in its line each chosen operation begins, where not all of the line is chosen. */
export function litSpots(operations: readonly CapturedOp[], { nodes }: Chosen): Spot[] {
  const lit = operations.filter(({ id }) => nodes.has(id));
  const others = new Set(operations.flatMap(({ id, line }) => (nodes.has(id) ? [] : (line ?? []))));
  return lit.flatMap(({ line, column }) =>
    line !== null && column !== null && others.has(line) ? { line, column } : [],
  );
}

/** A place in a text, both numbers from 1. */
export interface Spot {
  line: number;
  column: number;
}

/** How closely a text speaks of what is chosen: 2 of a value, 1 of an operation, 0 of nothing. */
export function speaksOf(artifact: Artifact, { nodes, values }: Chosen): number {
  const has = artifact.stored ? inSpans(artifact.stored.spans) : inLines(artifact.nodes);
  if (!has(nodes) && nodes.size > 0) return 0;
  return has(values) ? 2 : nodes.size > 0 ? 1 : 0;
}

const inSpans = (spans: readonly (readonly [number, number])[]) => (wanted: NodeSet) =>
  [...wanted].some((id) => spans.some(([first, last]) => first <= id && id <= last));

const inLines = (map: LineMap) => (wanted: NodeSet) =>
  map.some((ids) => ids.some((id) => wanted.has(id)));
