/** What of a run is looked at: program, stage, text, lines. */
import { batch } from "@preact/signals";
import { paneOfStage, textsOf } from "../lib/artifacts";
import { isRegion, partsOf } from "../lib/graphs";
import { atColumn, NO_NODES, type Chosen, type NodeSet } from "../lib/linemap";
import { ALL } from "../lib/plans";
import { tablesOf } from "../lib/tables";
import { moved } from "../lib/stages";
import type { LitText } from "../lib/trail";
import { pathTo, type TreeRow } from "../lib/tree";
import type { View } from "../lib/urlstate";
import { holdAgainst } from "./before";
import { NOTHING } from "./current";
import type { RunView } from "./runview";

/** Where a selection comes from that choosing a graph has made. */
const GRAPHS = "graphs";

export function chooseProgram(view: RunView, index: number): void {
  batch(() => {
    view.programIndex.value = index;
    view.chosenStage.value = null;
    view.selection.value = NOTHING;
    view.chosenTexts.value = {};
    view.chosenGraph.value = null;
  });
  writeDown(view);
}

export function chooseStage(view: RunView, index: number): void {
  batch(() => {
    view.chosenStage.value = index;
    follow(view, index);
  });
  writeDown(view);
}

/** Opens the rows above a stage, and shows the first of its texts and of its tables. */
function follow(view: RunView, index: number): void {
  reveal(view, index);
  const stage = view.stages.value[index];
  if (!stage) return;
  const [table] = tablesOf([stage]);
  const [text] = textsOf(stage);
  if (table) chooseText(view, "tables", table.key);
  if (text) chooseText(view, "reference", text.key);
}

/** Opens the rows above a stage. */
function reveal(view: RunView, index: number): void {
  view.list.walked.value = null;
  const above = pathTo(view.list.tree.value, index).slice(0, -1);
  if (above.length === 0) return;
  view.list.open.value = new Set([...view.list.open.value, ...above.map(({ key }) => key)]);
}

/** Chooses a stage and brings the pane with what it made to the front. */
export function showStage(view: RunView, index: number): void {
  chooseStage(view, index);
  const stage = view.stages.value[index];
  if (stage) view.navigation.show(paneOfStage(stage));
}

/** Shows one graph with its parts, or the whole program. Regions have no texts of their own: what a
 * region holds is lit up in those of the graph around it, and in the snippet. */
export function chooseGraph(view: RunView, id: string | null): void {
  const graph = view.program.value?.graphs.find((each) => each.id === id);
  const inside = graph && isRegion(graph) ? view.nodesIn(graph.id) : NO_NODES;
  batch(() => {
    view.chosenGraph.value = id;
    const isOurs = view.selection.value.origin === GRAPHS;
    if (inside.size > 0 || isOurs) select(view, inside, GRAPHS);
  });
  writeDown(view);
}

/** Moves to the next graph (or the one before); the whole program stands before the first. */
export function stepGraph(view: RunView, step: number): void {
  const program = view.program.value;
  const ids = program
    ? partsOf(program).flatMap((p) => (p.kind === "graph" ? p.graph.id : []))
    : [];
  const at = ids.indexOf(view.graph.value?.id ?? "") + step;
  chooseGraph(view, ids[Math.min(at, ids.length - 1)] ?? null);
}

/** Shows the plan of one backend, or all. */
export function choosePlan(view: RunView, backend: string): void {
  view.chosenPlan.value = backend === ALL ? null : backend;
  writeDown(view);
}

/** Moves to the next (or previous) row of the stage list. */
export function stepStage(view: RunView, step: number): void {
  const to = moved(view.list.walk.value, view.list.active.value, step);
  if (to) walkTo(view, to);
}

/** Moves to a row of the stage list: its stage is chosen, where it is one. */
export function walkTo(view: RunView, { key, index }: TreeRow): void {
  batch(() => {
    if (index !== null) chooseStage(view, index);
    view.list.walked.value = key;
  });
}

/** Shows what is below a row of the stage list, or hides it. */
export function setOpen(view: RunView, { key }: TreeRow, open: boolean): void {
  const kept = [...view.list.open.value].filter((other) => other !== key);
  view.list.open.value = new Set(open ? [...kept, key] : kept);
}

export function chooseText(view: RunView, pane: string, key: string): void {
  const at = view.selection.value;
  view.chosenTexts.value = { ...view.chosenTexts.value, [pane]: { key, at } };
}

/** Lights up everything that comes from captured operations; of their values only `values`, where
 * there are any. */
export function select(
  view: RunView,
  nodes: NodeSet,
  origin: string,
  values: NodeSet = NO_NODES,
): void {
  const before = view.selection.value;
  if (origin === before.origin && isEqual(nodes, before.nodes) && isEqual(values, before.values))
    return;
  view.selection.value = nodes.size + values.size === 0 ? NOTHING : { nodes, values, origin };
  writeDown(view);
}

/** Lights up faintly what comes from where the pointer is. */
export function hover(view: RunView, { nodes, values }: Chosen, origin: string): void {
  view.hovered.value = nodes.size + values.size === 0 ? NOTHING : { nodes, values, origin };
}

/** Which lines of a pane's text are lit. */
export function tellLit(view: RunView, pane: string, lit: LitText): void {
  view.litTexts.value = { ...view.litTexts.peek(), [pane]: lit };
}

const isEqual = (a: NodeSet, b: NodeSet): boolean =>
  a.size === b.size && [...a].every((id) => b.has(id));

/** A line of the snippet was chosen, of this program, else of the one that has the line; with a
 * column, from 1, what stands there. The pane of `origin` has it in sight already. */
export function selectSourceLine(
  view: RunView,
  line: number,
  column: number | null = null,
  origin = "source",
): void {
  if (view.edited.value) return;
  const { programs } = view.report.value;
  const has = (index: number) => {
    const here = programs[index]?.nodes.filter((node) => node.line === line) ?? [];
    return atColumn(here, column).map(({ id }) => id);
  };
  const here = view.programIndex.value;
  const order = [here, ...[...programs.keys()].filter((index) => index !== here)];
  const found = order.find((index) => has(index).length > 0);
  if (found === undefined) {
    select(view, new Set(), origin);
    return;
  }
  if (found !== here) chooseProgram(view, found);
  select(view, new Set(has(found)), origin);
}

/** Shows why something at a line of the snippet went otherwise. */
export function askWhy(view: RunView, line: number): void {
  view.whyLine.value = line;
  view.navigation.show("why");
}

// -- the address ------------------------------------------------------------------------------

/** What is shown, as an address says it. */
export function shownOf(view: RunView): View {
  return {
    program: view.programIndex.value,
    stage: view.chosenStage.value,
    nodes: [...view.selection.value.nodes],
    values: [...view.selection.value.values].map((id) => ~id),
    graph: view.chosenGraph.value,
    plan: view.chosenPlan.value,
    overrides: view.isUndecided.value ? view.options.value.overrides : null,
    before: view.before.value?.id ?? null,
  };
}

export function writeDown(view: RunView): void {
  const id = view.front.value ? null : view.run.value?.id;
  view.address.moved(id ?? null, shownOf(view));
}

/** Shows what the address says. */
export function restore(view: RunView): void {
  const { program, stage, nodes, values, graph, plan, overrides, before } = view.address.view();
  view.programIndex.value = program;
  view.chosenStage.value = stage;
  view.chosenGraph.value = graph;
  view.chosenPlan.value = plan;
  if (overrides !== null) view.options.value = { ...view.options.value, overrides: [...overrides] };
  if (before !== null) void holdAgainst(view, before);
  if (stage !== null) follow(view, stage);
  if (nodes.length + values.length === 0) return;
  const chosen = new Set(values.map((id) => ~id));
  view.selection.value = { nodes: new Set(nodes), values: chosen, origin: "" };
}
