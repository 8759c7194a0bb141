/** Which of a program's texts each pane shows. */
import type { Artifact, Stage } from "../wire";
import { speaksOf, type Chosen } from "./linemap";

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

/** Every text of stages, but for what a pass began with: that is what the one before it made. */
export const allTexts = (stages: readonly Stage[]): Shown[] =>
  stages.flatMap((stage) =>
    stage.artifacts
      .filter(({ name, language }) => name !== "before" && language !== "base64")
      .map((artifact) => shown(stage, artifact)),
  );

/** The texts of one pane, in the order of its kinds and then of the stages. */
export function artifactsFor(pane: TextPaneId, stages: readonly Stage[]): Shown[] {
  const all = stages.flatMap((stage) => stage.artifacts.map((artifact) => shown(stage, artifact)));
  if (pane === "reference") return all.filter(isReference);
  const kinds = KINDS[pane];
  return all
    .filter((item) => kinds.includes(item.artifact.kind) && !isReference(item))
    .sort((a, b) => kinds.indexOf(a.artifact.kind) - kinds.indexOf(b.artifact.kind));
}

function shown(stage: Stage, artifact: Artifact): Shown {
  return { key: keyOf(stage, artifact), label: artifact.name, stage, artifact };
}

const keyOf = ({ compiler, parent, graph, backend, name }: Stage, artifact: Artifact): string =>
  [compiler, graph, backend, parent, name, artifact.name].join("/");

/** Whether a stage is another compiler's. */
const isOthers = ({ kind, compiler }: Stage): boolean => kind === "reference" || compiler !== "";

function isReference({ stage, artifact }: Shown): boolean {
  return (isOthers(stage) || !OWN.has(artifact.kind)) && !PASS_SIDES.has(artifact.name);
}

/** The texts of another compiler's stage that are no two sides to compare. */
export const textsOf = (stage: Stage): Shown[] => artifactsFor("reference", [stage]);

/** A text that was chosen by hand, and what was selected then. */
export interface ChosenText {
  key: string;
  at: Chosen;
}

/**
 * The text to show of several: what was chosen since the last selection; else the chosen one, unless
 * another of its kind speaks of the selection more closely, or a click would light up nothing.
 */
export function pick(
  items: readonly Shown[],
  chosen: ChosenText | undefined,
  selection: Chosen,
): Shown | undefined {
  const current = items.find((item) => item.key === chosen?.key) ?? items[0];
  if (!current || (chosen?.key === current.key && chosen.at === selection)) return current;
  const same = items.filter((item) => item.artifact.kind === current.artifact.kind);
  const close = (item: Shown) => speaksOf(item.artifact, selection);
  const most = Math.max(...same.map(close));
  return close(current) === most ? current : same.find((item) => close(item) === most);
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
  fuse: "fusion",
  measure: "timings",
  numerics: "numerics",
  timeline: "timeline",
};

/** The pane that shows best what a stage made. */
export function paneOfStage(stage: Stage): string {
  if (isOthers(stage)) return paneOfOthers(stage);
  if (sidesOf(stage)) return "ir";
  const kinds = new Set(stage.artifacts.map((artifact) => artifact.kind));
  const found = Object.entries(KINDS).find(([, names]) => names.some((kind) => kinds.has(kind)));
  return found?.[0] ?? RESULTS[stage.kind] ?? RESULTS[stage.name] ?? "ir";
}

function paneOfOthers(stage: Stage): string {
  if (sidesOf(stage)) return "ir";
  if (textsOf(stage).length > 0 || stage.kind === "reference") return "reference";
  return stage.tables.length > 0 ? "tables" : "stages";
}

/** The core's IR as it stands at a stage: the stage's own, else that of the last one before it, of its
 * own graph if that has any. */
export function irAt(stages: readonly Stage[], index: number): Artifact | null {
  const graph = stages[index]?.graph;
  const before = stages.slice(0, index + 1).filter((stage) => !isOthers(stage) && hasIr(stage));
  const last = before.findLast((stage) => stage.graph === graph) ?? before.at(-1);
  return last?.artifacts.findLast(isIr) ?? null;
}

const isIr = ({ kind }: Artifact): boolean => kind === "ir";

const hasIr = ({ artifacts }: Stage): boolean => artifacts.some(isIr);
