/** The stage list: its rows, what is dimmed, and where the arrow keys go. */
import { Text } from "@codemirror/state";
import { Chunk } from "@codemirror/merge";
import type { Stage } from "../wire";
import { sidesOf } from "./artifacts";

export interface Row {
  index: number;
  stage: Stage;
  dimmed: boolean;
}

/** Rows of the list; unchanged passes are dimmed, or left out when `hideUnchanged`. */
export function rows(stages: readonly Stage[], hideUnchanged: boolean): Row[] {
  const all = stages.map((stage, index) => ({ index, stage, dimmed: isQuiet(stage) }));
  return hideUnchanged ? all.filter((row) => !row.dimmed) : all;
}

/** A stage that did nothing worth looking at: a pass without effect, or one that was skipped. */
export function isQuiet(stage: Stage): boolean {
  return stage.status === "skipped" || (stage.status === "ok" && !stage.changed);
}

/** The index of the row `step` rows from `current`, kept inside the list. */
export function moved(list: readonly Row[], current: number, step: number): number {
  const at = list.findIndex((row) => row.index === current);
  if (at < 0) return list[0]?.index ?? current;
  const to = Math.min(list.length - 1, Math.max(0, at + step));
  return list[to]?.index ?? current;
}

/** The stage to look at first: the last pass that changed the IR, else the last with a text. */
export function firstLook(stages: readonly Stage[]): number {
  const changed = stages.findLastIndex((s) => s.changed && s.artifacts.some((a) => a.name === "after"));
  if (changed >= 0) return changed;
  return Math.max(0, stages.findIndex((s) => s.artifacts.length > 0));
}

export interface LineCount {
  added: number;
  removed: number;
}

const counted = new WeakMap<Stage, LineCount>();

/** Lines that a pass added and removed; null where there is nothing to compare. */
export function lineCount(stage: Stage): LineCount | null {
  const sides = sidesOf(stage);
  if (!sides?.before) return null;
  let found = counted.get(stage);
  if (!found) {
    found = compare(sides.before.text, sides.after.text);
    counted.set(stage, found);
  }
  return found;
}

function compare(before: string, after: string): LineCount {
  const a = Text.of(before.split("\n"));
  const b = Text.of(after.split("\n"));
  const total = { added: 0, removed: 0 };
  for (const chunk of Chunk.build(a, b)) {
    total.removed += linesIn(a, chunk.fromA, chunk.toA);
    total.added += linesIn(b, chunk.fromB, chunk.toB);
  }
  return total;
}

/** Lines in a chunk's range, whose end is one past the end of its last line. */
function linesIn(text: Text, from: number, to: number): number {
  if (from === to) return 0;
  return text.lineAt(Math.min(to - 1, text.length)).number - text.lineAt(from).number + 1;
}
