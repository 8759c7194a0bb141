/** What the graph is drawn of: the IR as it was captured, after each pass that changed it, and fused. */
import { sidesOf } from "../lib/artifacts";
import { isInside } from "../lib/compilers";
import { isOfPlan } from "../lib/plans";
import type { Artifact, Program, Stage } from "../wire";

export interface Step {
  /** The stage that made it. */
  name: string;
  /** Its place among all stages. */
  index: number;
  artifact: Artifact;
  /** Whether kernels are drawn around what runs in them. */
  isFused: boolean;
}

/** The steps of one graph, as the plan of `backend` has it; none where it has no IR. */
export function stepsOf({ stages }: Program, graph: string, backend: string): Step[] {
  const own = stages
    .map((stage, index) => ({ stage, index }))
    .filter(({ stage }) => stage.graph === graph && isOfPlan(stage, backend))
    .filter(({ stage }) => !isInside(stage) && stage.compiler === "");
  const drawn = own.flatMap(({ stage, index }): Step[] => {
    const artifact = irOf(stage);
    return artifact ? [{ name: nameOf(stage), index, artifact, isFused: false }] : [];
  });
  const last = drawn.at(-1);
  const fuse = own.find(({ stage }) => stage.kind === "fuse");
  if (!last || !fuse) return drawn;
  return [...drawn, { ...last, name: fuse.stage.name, index: fuse.index, isFused: true }];
}

const nameOf = ({ kind, name }: Stage): string => (kind === "capture" ? "captured" : name);

const irOf = (stage: Stage): Artifact | null => {
  const after = sidesOf(stage)?.after;
  return after?.kind === "ir" ? after : null;
};

/** The step that shows a stage: the last that is not after it, and without one the last of all. */
export function stepAt(steps: readonly Step[], stage: number | null): number {
  if (stage === null) return steps.length - 1;
  return Math.max(
    0,
    steps.findLastIndex(({ index }) => index <= stage),
  );
}

/** The graph to draw: the chosen one, or the first that has IR. */
export function drawnGraph({ stages }: Program, chosen: string | null): string | null {
  const has = (graph: string) => stages.some((stage) => stage.graph === graph && irOf(stage));
  if (chosen !== null && has(chosen)) return chosen;
  return stages.find((stage) => !isInside(stage) && irOf(stage))?.graph ?? null;
}
