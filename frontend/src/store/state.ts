/** What the page knows: few signals, each with a sentence. Only store/ writes them. */
import { computed, signal } from "@preact/signals";
import { marks } from "../lib/diagnostics";
import { huesOf, NO_NODES, sourceMap, type NodeSet } from "../lib/linemap";
import { firstLook } from "../lib/stages";
import type { Example, RunState } from "../net/api";
import type { Link } from "../net/live";
import { DEFAULT_OPTIONS, EMPTY_REPORT, type Options, type Report, type StageBegan } from "../wire";

/** What the editor holds. */
export const source = signal("");

/** What the next run is asked to do. */
export const options = signal<Options>(DEFAULT_OPTIONS);

/** The run on the page: its id, the source it was given, and how far it is. */
export interface Current {
  id: string;
  source: string;
  options: Options;
  state: RunState;
  shared: boolean;
  /** On this page's clock; null where the run was over before it was opened. */
  startedAt: number | null;
  /** How long it took, once that is known. */
  seconds: number | null;
  /** When it ended. */
  finished: Date | null;
}

export const run = signal<Current | null>(null);

/** The run's report as far as it has come. */
export const report = signal<Report>(EMPTY_REPORT);

/** What is being done now, while something is. */
export const progress = signal<StageBegan | null>(null);

/** The state of the connection to a run that goes on. */
export const link = signal<Link>("connecting");

/** A sentence about the last thing that was asked and could not be done. */
export const complaint = signal<string | null>(null);

/** A short confirmation, gone after a while. */
export const toast = signal<string | null>(null);

/** The program whose tab is chosen. */
export const programIndex = signal(0);

/** The stage chosen by hand; null while the page follows the compilation. */
export const chosenStage = signal<number | null>(null);

/** Captured operations whose lines are lit up, and the pane in which they were chosen. */
export interface Selection {
  nodes: NodeSet;
  origin: string;
}

export const NOTHING: Selection = { nodes: NO_NODES, origin: "" };

export const selection = signal<Selection>(NOTHING);

/** For each text pane the key of the text chosen by hand. */
export const chosenTexts = signal<Readonly<Record<string, string>>>({});

/** Whether passes that changed nothing are left out of the list. */
export const hideUnchanged = signal(false);

export const examples = signal<readonly Example[]>([]);

export const helpOpen = signal(false);

export const program = computed(() => report.value.programs[programIndex.value] ?? null);

export const stages = computed(() => program.value?.stages ?? []);

export const stageIndex = computed(() => {
  const last = stages.value.length - 1;
  return chosenStage.value === null ? firstLook(stages.value) : Math.min(chosenStage.value, last);
});

export const stage = computed(() => stages.value[stageIndex.value] ?? null);

export const hues = computed(() => huesOf(program.value?.kernels ?? []));

/** Whether a run is queued or going on. */
export const busy = computed(() => run.value?.state === "queued" || run.value?.state === "running");

/** Whether the editor holds another text than the one that was run. */
export const edited = computed(() => run.value !== null && run.value.source !== source.value);

/** What the report says of lines of the text that was run; the editor moves them with its edits. */
export const editorMarks = computed(() => marks(report.value));

/** The line map of the editor's text; empty once the text is another one. */
export const sourceLines = computed(() =>
  program.value && !edited.value ? sourceMap(program.value) : [],
);
