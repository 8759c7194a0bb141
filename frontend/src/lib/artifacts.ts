/** Which of a program's texts each pane shows. */
import type { Artifact, Program, Stage } from "../wire";
import { speaksOf, type NodeSet } from "./linemap";

/** A text with its stage, and a key that is the same in every replay of the run. */
export interface Shown {
  key: string;
  label: string;
  stage: Stage;
  artifact: Artifact;
}

export type TextPaneId = "captured" | "loops" | "triton" | "c" | "assembly" | "reference";

/** Kinds a pane shows, in the order of its menu. What no pane names is the reference pane's. */
export const KINDS: Record<Exclude<TextPaneId, "reference">, readonly string[]> = {
  captured: ["captured"],
  loops: ["loops"],
  triton: ["triton"],
  c: ["c"],
  assembly: ["ptx", "amdgcn", "sass", "ttir", "ttgir", "llir"],
};

const OWN = new Set([...Object.values(KINDS).flat(), "ir"]);

const PASS_SIDES = new Set(["before", "after"]);

/** The texts of one pane, in the order of its kinds and then of the stages. */
export function artifactsFor(pane: TextPaneId, program: Program): Shown[] {
  const all = program.stages.flatMap((stage) =>
    stage.artifacts.map((artifact) => shown(stage, artifact)),
  );
  if (pane === "reference") return all.filter(isReference);
  const kinds = KINDS[pane];
  return all
    .filter((item) => kinds.includes(item.artifact.kind) && !isReference(item))
    .sort((a, b) => kinds.indexOf(a.artifact.kind) - kinds.indexOf(b.artifact.kind));
}

function shown(stage: Stage, artifact: Artifact): Shown {
  const key = `${stage.name}/${artifact.name}`;
  return { key, label: artifact.name, stage, artifact };
}

function isReference({ stage, artifact }: Shown): boolean {
  if (stage.kind === "reference") return true;
  return !OWN.has(artifact.kind) && !PASS_SIDES.has(artifact.name);
}

/**
 * The text to show of several: the chosen one, unless the selection is in another and not in it;
 * following the selection must win, or a click would light up nothing.
 */
export function pick(
  items: readonly Shown[],
  chosen: string | undefined,
  selection: NodeSet,
): Shown | undefined {
  const current = items.find((item) => item.key === chosen) ?? items[0];
  if (!current || selection.size === 0 || speaksOf(current.artifact, selection)) return current;
  const same = items.filter((item) => item.artifact.kind === current.artifact.kind);
  return same.find((item) => speaksOf(item.artifact, selection)) ?? current;
}

/** What the IR pane shows of a stage: one text, or two to compare. */
export interface Sides {
  before: Artifact | null;
  after: Artifact;
}

export function sidesOf(stage: Stage): Sides | null {
  const named = (name: string) => stage.artifacts.find((artifact) => artifact.name === name);
  const after = named("after");
  if (after) return { before: named("before") ?? null, after };
  const only = stage.artifacts.find((artifact) => artifact.kind === "ir");
  return only ? { before: null, after: only } : null;
}

/** Panes of stages whose result is no text. */
const RESULTS: Record<string, string> = {
  fuse: "kernels",
  measure: "timings",
  numerics: "numerics",
};

/** The pane that shows best what a stage made. */
export function paneOfStage(stage: Stage): string {
  if (stage.kind === "reference") return "reference";
  if (sidesOf(stage)) return "ir";
  const kinds = new Set(stage.artifacts.map((artifact) => artifact.kind));
  const found = Object.entries(KINDS).find(([, names]) => names.some((kind) => kinds.has(kind)));
  return found?.[0] ?? RESULTS[stage.kind] ?? RESULTS[stage.name] ?? "ir";
}

/** The IR as it stands at a stage: the stage's own, else that of the last one before it. */
export function irAt(stages: readonly Stage[], index: number): Artifact | null {
  for (let i = Math.min(index, stages.length - 1); i >= 0; i--) {
    const stage = stages[i];
    const ir = stage?.artifacts.findLast((artifact) => artifact.kind === "ir");
    if (ir) return ir;
  }
  return null;
}
