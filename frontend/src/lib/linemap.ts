/**
 * Which lines of which text belong together.
 *
 * The key is the id of a captured operation: a selection is a set of ids, and every text says for
 * each of its lines which ids it comes from.
 */
import type { Artifact, Kernel, Program } from "../wire";
import { firstPlace, firstPlaces } from "./equal";

/** For each line (0-based) the ids of captured operations; a missing entry has none. */
export type LineMap = readonly (readonly number[])[];

export type NodeSet = ReadonlySet<number>;

export const NO_NODES: NodeSet = new Set();

export const HUES = 8;

/** The 1-based lines that come from any of `nodes`. */
export function litLines(map: LineMap, nodes: NodeSet): number[] {
  if (nodes.size === 0) return [];
  return map.flatMap((ids, index) => (ids.some((id) => nodes.has(id)) ? [index + 1] : []));
}

/** The ids that a 1-based line comes from. */
export function nodesOfLine(map: LineMap, line: number): NodeSet {
  return new Set(map[line - 1] ?? []);
}

/** The snippet's own line map, from where each operation was captured. */
export function sourceMap(program: Program): LineMap {
  const map: number[][] = [];
  for (const { id, line } of program.nodes) {
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

/** Whether a text has a line that comes from any of `nodes`. */
export function speaksOf(artifact: Artifact, nodes: NodeSet): boolean {
  if (artifact.stored) {
    const { spans } = artifact.stored;
    return [...nodes].some((id) => spans.some(([first, last]) => first <= id && id <= last));
  }
  return artifact.nodes.some((ids) => ids.some((id) => nodes.has(id)));
}
