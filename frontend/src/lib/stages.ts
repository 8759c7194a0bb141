/** The stage list: its rows, what is dimmed, and where the arrow keys go. */
import type { Stage } from "../wire";
import { isInside } from "./compilers";

export interface Row {
  index: number;
  stage: Stage;
  dimmed: boolean;
}

/** Rows of the list; unchanged passes are dimmed, or left out when `hideUnchanged`. An index is a
 * stage's place among all of the program's, whatever is left out: addresses keep it. */
export function rows(
  stages: readonly Stage[],
  hideUnchanged: boolean,
  isShown: (stage: Stage) => boolean = () => true,
): Row[] {
  return stages
    .map((stage, index) => ({ index, stage, dimmed: isQuiet(stage) }))
    .filter(({ stage, dimmed }) => isShown(stage) && !(hideUnchanged && dimmed));
}

/**
 * Rows by graph, in the order of the program's graphs: the compiler goes through all graphs stage by
 * stage, a reader through the stages of one graph. What is of no part stands where it came, before
 * the first or after the last.
 */
export function byGraph(list: readonly Row[], parts: readonly string[]): Row[] {
  const begins = list.findIndex(({ stage }) => parts.includes(stage.graph));
  const place = (row: Row, at: number) => {
    const part = parts.indexOf(row.stage.graph);
    return part >= 0 ? part : at < begins ? -1 : parts.length;
  };
  const places = new Map(list.map((row, at) => [row, place(row, at)]));
  return list.toSorted((a, b) => places.get(a)! - places.get(b)!);
}

/** Rows in their order, cut where the graph changes. */
export function groupsOf(list: readonly Row[]): Row[][] {
  const groups: Row[][] = [];
  for (const row of list) {
    const last = groups.at(-1);
    if (last?.[0]?.stage.graph === row.stage.graph) last.push(row);
    else groups.push([row]);
  }
  return groups;
}

/** A stage that did nothing worth looking at: a pass without effect, or one that was skipped. */
export function isQuiet(stage: Stage): boolean {
  return stage.status === "skipped" || (stage.status === "ok" && !stage.changed);
}

/** The row `step` rows from the one of key `current`, kept inside the list. */
export function moved<T extends { key: string }>(
  list: readonly T[],
  current: string,
  step: number,
): T | undefined {
  const at = list.findIndex(({ key }) => key === current);
  if (at < 0) return list[0];
  return list[Math.min(list.length - 1, Math.max(0, at + step))];
}

/** The stage to look at first: the last pass that changed the IR of the first graph that a pass
 * changed, where the other panes begin too; else the first with a text. */
export function firstLook(
  stages: readonly Stage[],
  isShown: (stage: Stage) => boolean = () => true,
): number {
  const isChange = (s: Stage) =>
    isShown(s) && !isInside(s) && s.changed && s.artifacts.some((a) => a.name === "after");
  const first = stages.find(isChange);
  if (first) return stages.findLastIndex((s) => isChange(s) && s.graph === first.graph);
  const withText = stages.findIndex((s) => isShown(s) && s.artifacts.length > 0);
  return Math.max(0, withText >= 0 ? withText : stages.findIndex(isShown));
}

export interface LineCount {
  added: number;
  removed: number;
}

/** Lines that a pass added and removed, where its report says so. */
export function reportedCount({ added, removed }: Stage): LineCount | null {
  return added === null || removed === null ? null : { added, removed };
}
