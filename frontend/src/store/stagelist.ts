/** The list of a run's stages, as the page shows it: the core's own, and the compilers' that were
 * looked into, each as a tree. */
import { computed, signal, type ReadonlySignal } from "@preact/signals";
import { isInside } from "../lib/compilers";
import { partsOf } from "../lib/graphs";
import { byGraph, rows } from "../lib/stages";
import { compilersOf, ownKey, ownRow, pathTo, visible } from "../lib/tree";
import type { Program, Stage } from "../wire";

/** What the list is of. */
export interface Listed {
  readonly program: ReadonlySignal<Program | null>;
  readonly stages: ReadonlySignal<readonly Stage[]>;
  readonly isStageOfPlan: ReadonlySignal<(stage: Stage) => boolean>;
  readonly stageIndex: ReadonlySignal<number>;
}

export class StageList {
  /** Whether passes that changed nothing are left out. */
  readonly hideUnchanged = signal(false);

  /** Keys of the rows that show what is below them. */
  readonly open = signal<ReadonlySet<string>>(new Set());

  /** The key of the row that the arrow keys are at, where that is not the chosen stage's. */
  readonly walked = signal<string | null>(null);

  private readonly shown = computed(() =>
    rows(this.of.stages.value, this.hideUnchanged.value, this.of.isStageOfPlan.value),
  );

  /** The core's own rows. */
  readonly rows = computed(() => {
    const program = this.of.program.value;
    const parts = program ? partsOf(program) : [];
    return byGraph(
      this.shown.value.filter(({ stage }) => !isInside(stage)),
      parts.flatMap((part) => (part.kind === "graph" ? part.graph.id : [])),
    );
  });

  /** The rows of the compilers that were looked into, each with all that is below it. */
  readonly tree = computed(() => compilersOf(this.shown.value));

  /** Those that can be seen. */
  readonly shownTree = computed(() => visible(this.tree.value, this.open.value));

  /** All rows that the arrow keys go through. */
  readonly walk = computed(() => [...this.rows.value.map(ownRow), ...this.shownTree.value]);

  /** The key of the row that the arrow keys are at: the last that was walked to, else the chosen
   * stage's, or the nearest above it that can be seen. */
  readonly active = computed(() => {
    const shown = new Set(this.walk.value.map(({ key }) => key));
    const walked = this.walked.value;
    if (walked !== null && shown.has(walked)) return walked;
    const index = this.of.stageIndex.value;
    const path = pathTo(this.tree.value, index).map(({ key }) => key);
    return path.findLast((key) => shown.has(key)) ?? ownKey(index);
  });

  constructor(private readonly of: Listed) {}
}
