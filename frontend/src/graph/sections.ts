/**
 * A large graph before anything is fused, in sections: what one module of the model computes at a time,
 * or one line of the snippet where it has no modules. They follow one another as the operations do, so
 * that no two read each other.
 */
import { plural } from "../lib/format";
import type { CapturedOp, Program } from "../wire";
import type { IrGraph, Operation } from "./irtext";
import { hasModules, innermostOf, pathsOf, type Paths } from "./modules";
import type { Grouping, Hull } from "./parts";

/** More would be as slow to lay out, and as long to read, as the operations themselves. */
export const MOST_SECTIONS = 250;

interface Section {
  /** What its operations have in common, each once: a line, or the path of a module. */
  keys: readonly string[];
  operations: readonly Operation[];
}

/** What an operation is put with its neighbours by; undefined where it is not known. */
type KeyOf = (node: number) => string | undefined;

export function sectionGrouping(
  graph: IrGraph,
  program: Pick<Program, "nodes" | "name">,
): Grouping {
  const paths = pathsOf(program);
  const byModule = hasModules(paths);
  const sections = byModule
    ? byModules(graph.operations, paths)
    : joined(byKey(graph.operations, lineKey(program.nodes)));
  const home = new Map(
    sections.flatMap(({ operations }, at) => operations.map((each) => [each, idOf(at)] as const)),
  );
  const called = byModule ? moduleName(innermostOf(program)) : lineName;
  return {
    hulls: sections.map((section, at) => hullOf(section, at, called(section.keys))),
    of: (operation) => [home.get(operation)].filter((id) => id !== undefined),
    refused: [],
  };
}

function lineKey(captured: readonly CapturedOp[]): KeyOf {
  const lines = new Map(captured.map(({ id, line }) => [id, line]));
  return (node) => lines.get(node)?.toString();
}

/** By modules as far down as there are not too many. */
function byModules(operations: readonly Operation[], paths: Paths): Section[] {
  for (
    let depth = Math.max(...[...paths.values()].map(({ length }) => length));
    depth > 0;
    depth--
  ) {
    const found = byKey(operations, (node) => paths.get(node)?.slice(0, depth).join("/"));
    if (found.length <= MOST_SECTIONS || depth === 1) return joined(found);
  }
  return [];
}

/** An operation that no key is known of belongs to what is before it. */
function byKey(operations: readonly Operation[], keyOf: KeyOf): Section[] {
  const found: { keys: string[]; operations: Operation[] }[] = [];
  for (const operation of operations) {
    const key = operation.nodes.map(keyOf).find((each) => each !== undefined);
    const last = found.at(-1);
    if (last && (key === undefined || last.keys[0] === key)) last.operations.push(operation);
    else found.push({ keys: key === undefined ? [] : [key], operations: [operation] });
  }
  return found;
}

/** Neighbours as one, as many at a time as it takes. */
function joined(sections: readonly Section[]): Section[] {
  const size = Math.ceil(sections.length / MOST_SECTIONS);
  if (size <= 1) return [...sections];
  const starts = [...sections.keys()].filter((at) => at % size === 0);
  return starts.map((start) => {
    const parts = sections.slice(start, start + size);
    return {
      keys: [...new Set(parts.flatMap(({ keys }) => keys))],
      operations: parts.flatMap(({ operations }) => operations),
    };
  });
}

const idOf = (at: number): string => `section/${at}`;

const lineName = (lines: readonly string[]): string =>
  lines.length === 0
    ? "no line"
    : `line ${[...lines].sort((a, b) => Number(a) - Number(b)).join(", ")}`;

/** What is in no other module is in `innermost`. */
const moduleName =
  (innermost: string) =>
  (paths: readonly string[]): string =>
    paths.filter(Boolean).join(", ") || innermost;

function hullOf({ keys, operations }: Section, at: number, where: string): Hull {
  const size = plural(operations.length, "operation");
  return {
    id: idOf(at),
    label: `${where} · ${size}`,
    title: `${where}: ${size}`,
    name: keys[0]?.split("/").at(-1) || where,
    hue: null,
    nodes: [...new Set(operations.flatMap(({ nodes }) => nodes))],
    parent: null,
    isFrame: false,
    times: 1,
  };
}
