/**
 * The stages of other compilers as a tree: under each compiler's heading its stages, each under the
 * stage that it names as its parent. Rows that are closed hide what is below them.
 */
import type { Stage } from "../wire";
import { sidesOf } from "./artifacts";
import { inOrder, isEnd, isInside, titleOf } from "./compilers";
import { plural } from "./format";
import type { Row } from "./stages";

export interface TreeRow {
  /** The same in every replay of the run, whatever comes after it. */
  key: string;
  title: string;
  /** The stage's place among all of the program's; null of what has no stage (yet). */
  index: number | null;
  stage: Stage | null;
  /** From 1, as a screen reader counts. */
  level: number;
  /** Whether it is of another graph than the row above it, so that its graph has to be said. */
  ofOtherGraph: boolean;
  dimmed: boolean;
  children: readonly TreeRow[];
}

export const ownKey = (index: number): string => `#${index}`;

const NONE: readonly TreeRow[] = [];
const ownRows = new WeakMap<Stage, TreeRow>();

/** The core's own stages, as they stand in the list: a stage's row stays the same, so that one more
 * stage is one more row to draw. */
export function ownRow({ index, stage, dimmed }: Row): TreeRow {
  const known = ownRows.get(stage);
  if (known?.index === index) return known;
  const title = stage.name;
  const place = { key: ownKey(index), title, index, stage, level: 1, ofOtherGraph: false };
  const row = { ...place, dimmed, children: NONE };
  ownRows.set(stage, row);
  return row;
}

/** One row a compiler that was looked into, with all that was found below it. */
export function compilersOf(list: readonly Row[]): TreeRow[] {
  const found = list.filter(({ stage }) => isInside(stage));
  return inOrder(found.map(({ stage }) => stage.compiler)).map((compiler) =>
    headingOf(
      compiler,
      found.filter(({ stage }) => stage.compiler === compiler),
    ),
  );
}

function headingOf(compiler: string, list: readonly Row[]): TreeRow {
  const end = list.find(({ stage }) => isEnd(stage));
  const rest = list.filter((row) => row !== end);
  return rowOf({ title: titleOf(compiler), row: end ?? null, below: nested(rest) }, compiler, 1);
}

interface Node {
  title: string;
  row: Row | null;
  below: Node[];
}

/** Each stage under its parent. What hangs under a name that no stage of its graph has (or has yet)
 * hangs under that name. */
function nested(list: readonly Row[]): Node[] {
  const tops: Node[] = [];
  const named = new Map<string, Node>();
  const nodes = list.map((row): Node => ({ title: row.stage.name, row, below: [] }));
  nodes.forEach((node) => named.set(nameOf(node.row!.stage, node.title), node));
  const missing = ({ stage }: Row): Node => {
    const parent: Node = { title: stage.parent, row: null, below: [] };
    named.set(nameOf(stage, stage.parent), parent);
    tops.push(parent);
    return parent;
  };
  const above = new Map<Node, Node>();
  const isAbove = (node: Node, other: Node | undefined): boolean =>
    other !== undefined && (other === node || isAbove(node, above.get(other)));
  for (const node of nodes) {
    const { stage } = node.row!;
    const parent = stage.parent && (named.get(nameOf(stage, stage.parent)) ?? missing(node.row!));
    if (!parent || isAbove(node, parent)) tops.push(node);
    else {
      above.set(node, parent);
      parent.below.push(node);
    }
  }
  return tops;
}

const nameOf = ({ graph }: Stage, name: string): string => `${graph}/${name}`;

function rowOf({ title, row, below }: Node, key: string, level: number, above = ""): TreeRow {
  const seen = new Map<string, number>();
  const children = below.map((node) => {
    const own = `${key}/${nameOf(node.row?.stage ?? node.below[0]!.row!.stage, node.title)}`;
    const count = (seen.get(own) ?? 0) + 1;
    seen.set(own, count);
    return rowOf(node, count > 1 ? `${own}#${count}` : own, level + 1, row?.stage.graph);
  });
  const { index = null, stage = null, dimmed = false } = row ?? {};
  const ofOtherGraph = level > 1 && stage !== null && stage.graph !== above;
  return { key, title, index, stage, level, ofOtherGraph, dimmed, children };
}

/** The rows that are seen while only those in `open` show what is below them. */
export const visible = (tree: readonly TreeRow[], open: ReadonlySet<string>): TreeRow[] =>
  tree.flatMap((row) => [row, ...(open.has(row.key) ? visible(row.children, open) : [])]);

/** The rows that lead to the stage at `index`, that one last; none where the tree does not have it. */
export function pathTo(tree: readonly TreeRow[], index: number): TreeRow[] {
  for (const row of tree) {
    if (row.index === index) return [row];
    const below = pathTo(row.children, index);
    if (below.length > 0) return [row, ...below];
  }
  return [];
}

/** "14 passes, 3 changed the module": what is below a row. */
export function countsOf(row: TreeRow): string {
  const leaves = leavesOf(row);
  const passes = leaves.filter((stage) => !stage.changed || sidesOf(stage)?.before);
  if (passes.length < leaves.length || passes.length === 0) return plural(leaves.length, "stage");
  const changed = passes.filter((stage) => stage.changed).length;
  return `${plural(passes.length, "pass")}, ${changed} changed the module`;
}

const leavesOf = ({ children }: TreeRow): Stage[] =>
  children.flatMap((row) =>
    row.children.length > 0 ? leavesOf(row) : row.stage ? [row.stage] : [],
  );
