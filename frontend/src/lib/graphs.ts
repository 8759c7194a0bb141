/** A program's graphs in order, the Python between them, and what belongs to which. */
import type { Graph, Program, PythonSegment } from "../wire";
import { plural } from "./format";

/** What a stage, a kernel or a buffer says of where it belongs. */
export interface Place {
  graph: string;
  backend: string;
}

/** A part of the program as it runs: one of its graphs, or lines that Python runs itself. */
export type Part =
  { kind: "graph"; graph: Graph; depth: number } | { kind: "python"; segment: PythonSegment };

/** The program itself; every other graph is a part of it. */
export const rootOf = (graphs: readonly Graph[]): Graph | null =>
  graphs.find(({ parent }) => parent === null) ?? null;

/** Whether the program is more than one graph. */
export const isDivided = ({ graphs }: Program): boolean => graphs.length > 1;

/** Whether Python runs all of it: it left the graph where no part of it can be one. */
export const isPython = ({ graphs, python }: Program): boolean =>
  graphs.length === 1 && python.length > 0;

/** The parts of a program in the order in which they run; none where it is one graph. */
export function partsOf(program: Program): Part[] {
  const { graphs, python } = program;
  const root = rootOf(graphs);
  if (!root || !(isDivided(program) || isPython(program))) return [];
  const known = new Set(graphs.map(({ id }) => id));
  const from = ({ after }: PythonSegment) => (after !== null && known.has(after) ? after : root.id);
  const between = (id: string): Part[] =>
    python.filter((s) => from(s) === id).map((segment) => ({ kind: "python", segment }));
  const below = (parent: Graph, depth: number): Part[] =>
    graphs
      .filter(({ id, parent: own }) => own === parent.id && own !== id)
      .flatMap((graph) => [
        { kind: "graph", graph, depth } as const,
        ...below(graph, depth + 1),
        ...between(graph.id),
      ]);
  return [...between(root.id), ...below(root, 0)];
}

/** Whether a graph is a region of an operation: a branch, or the body of a loop. */
export const isRegion = ({ role }: Graph): boolean => role === "body" || role === "branch";

/** "3 graphs", "2 graphs, 1 region": what a program consists of. */
export function countOf(program: Program): string {
  const { graphs } = program;
  if (isPython(program)) return "runs in Python as eager does";
  const parts = graphs.filter(({ parent }) => parent !== null);
  const regions = parts.filter(isRegion).length;
  const rest = parts.length - regions;
  return [rest > 0 ? plural(rest, "graph") : "", regions > 0 ? plural(regions, "region") : ""]
    .filter(Boolean)
    .join(", ");
}

/** The ids of a graph and of all that are parts of it. */
export function withParts(graphs: readonly Graph[], id: string): ReadonlySet<string> {
  const found = new Set([id]);
  // Parents come before their parts.
  for (const { id: part, parent } of graphs) {
    if (parent !== null && found.has(parent)) found.add(part);
  }
  return found;
}

/** The id of the graph whose stages show a graph: its own, or that of the nearest around it that
 * has any. The body of a loop is compiled with the graph that holds the loop. */
export function graphWithStages({ graphs, stages }: Program, id: string): string {
  const seen = new Set<string>();
  let at: string | null = id;
  while (at !== null && !seen.has(at)) {
    const current: string = at;
    if (stages.some(({ graph }) => graph === current)) return current;
    seen.add(current);
    at = graphs.find((graph) => graph.id === current)?.parent ?? null;
  }
  return id;
}

/** "line 4", "lines 4–6", or nothing where the lines are not the snippet's. */
export function linesOf({ first_line, last_line }: PythonSegment): string {
  if (first_line === null) return "";
  const last = last_line ?? first_line;
  return last === first_line ? `line ${first_line}` : `lines ${first_line}–${last}`;
}
