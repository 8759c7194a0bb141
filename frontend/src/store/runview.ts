/**
 * One run on the page: what the page knows of it, as signals, each with a sentence.
 *
 * Everything that shows or changes a run takes it from its RunView, so that several can stand side
 * by side. Only store/ writes the signals.
 */
import { computed, signal, type ReadonlySignal } from "@preact/signals";
import type { ChosenText, Shown } from "../lib/artifacts";
import { marks } from "../lib/diagnostics";
import { rootOf, graphWithStages, withParts, type Place } from "../lib/graphs";
import { functionOf } from "../lib/equal";
import { huesOf, NO_HUES, sourceMap, type Hues, type LineMap, type NodeSet } from "../lib/linemap";
import { areSame } from "../lib/overrides";
import { ALL, backendsOf, isOfPlan } from "../lib/plans";
import { firstLook } from "../lib/stages";
import { findingsOf, reasonsOf, tellingStages, whyByLine } from "../lib/why";
import type { Note } from "../lib/notes";
import type { LitText } from "../lib/trail";
import type { Link } from "../net/live";
import {
  DEFAULT_OPTIONS,
  EMPTY_REPORT,
  type CapturedOp,
  type Kernel,
  type Options,
  type Report,
  type Stage,
  type StageBegan,
} from "../wire";
import { NOWHERE, type Address } from "./address";
import { NOTHING, type Current, type Selection } from "./current";
import { Navigation } from "./navigation";
import { StageList } from "./stagelist";
import { alike, steady } from "./steady";

let count = 0;

const NO_OPERATIONS: readonly CapturedOp[] = [];
const NO_KERNELS: readonly Kernel[] = [];
const NO_LINES: LineMap = [];

export class RunView {
  /** Elements of two views that stand side by side have ids that differ. */
  readonly prefix = `run${++count}`;

  /** What the server tells this editor from others by. */
  editor = Array.from({ length: 3 }, () => Math.random().toString(36).slice(2))
    .join("-")
    .slice(0, 40);

  /** One's own text. */
  readonly source = signal("");

  /** The text that a workshop writes together, while that is shown in the place of one's own. */
  readonly shared = signal<ReadonlySignal<string> | null>(null);

  /** What the editor shows, and Run runs. */
  readonly written = computed(() => this.shared.value?.value ?? this.source.value);

  /** What the next run is asked to do. */
  readonly options = signal<Options>(DEFAULT_OPTIONS);

  /** Null before there is a run. */
  readonly run = signal<Current | null>(null);

  /** The run that this page asked for last; "" before the first. */
  readonly asked = signal("");

  /** How many runs it asked for that the server has not answered for yet. */
  readonly asking = signal(0);

  /** Whether that is the example that the front page opens on: its address stays that page's. */
  readonly front = signal(false);

  /** Whether what it is to show is on its way, a run or that example: panes wait, and say nothing. */
  readonly coming = signal(false);

  /** Grows with everything that is to be shown: an answer that comes after that of another turn is late. */
  turn = 0;

  /** What a person is told beside the panes. */
  readonly notes = signal<readonly Note[]>([]);

  /** The run's report as far as it has come. */
  readonly report = signal<Report>(EMPTY_REPORT);

  /** The view of the run that stands on the same page: its plots have the scales of this one's. */
  beside: RunView | null = null;

  /** The run that it is held against, where only what is overridden differs. */
  readonly before = signal<{ id: string; report: Report } | null>(null);

  /** What is being done now, while something is. */
  readonly progress = signal<StageBegan | null>(null);

  /** The state of the connection to a run that goes on. */
  readonly link = signal<Link>("connecting");

  /** A sentence about the last thing that was asked and could not be done. */
  readonly complaint = signal<string | null>(null);

  /** The program whose tab is chosen. */
  readonly programIndex = signal(0);

  /** The stage chosen by hand; null while the page follows the compilation. */
  readonly chosenStage = signal<number | null>(null);

  /** The id of the graph chosen by hand; null for the whole program. */
  readonly chosenGraph = signal<string | null>(null);

  /** The backend whose plan alone is shown; null for all. */
  readonly chosenPlan = signal<string | null>(null);

  readonly selection = signal<Selection>(NOTHING);

  /** Where the panes of texts have what is selected. */
  readonly litTexts = signal<Readonly<Record<string, LitText>>>({});

  /** What the pointer is over in one of the texts, and which pane that is in. */
  readonly hovered = signal<Selection>(NOTHING);

  /** For each pane of texts or tables the one that was chosen. */
  readonly chosenTexts = signal<Readonly<Record<string, ChosenText>>>({});

  /** Ways to its panes and to a line of its editor. */
  readonly navigation = new Navigation();

  /** Stops the following of the run under way. */
  unfollow: () => void = () => {};

  readonly program = computed(() => this.report.value.programs[this.programIndex.value] ?? null);

  readonly stages = computed(() => this.program.value?.stages ?? []);

  /** The captured operations: the very same list while stages alone come, as is what is made of it. */
  readonly nodes = computed(() => this.program.value?.nodes ?? NO_OPERATIONS);

  private readonly kernels = computed(() => this.program.value?.kernels ?? NO_KERNELS);

  /** The backends that the program has plans for, the one that it runs on first. */
  readonly backends = steady(() => (this.program.value ? backendsOf(this.program.value) : []));

  /** The plan that is shown: a backend, or ALL. */
  readonly plan = computed(() => {
    const chosen = this.chosenPlan.value;
    return chosen !== null && this.backends.value.includes(chosen) ? chosen : ALL;
  });

  /** The plan of which something is said where only one can be: the shown one, else the one that ran. */
  readonly onePlan = computed(() =>
    this.plan.value === ALL ? this.program.value?.backend || ALL : this.plan.value,
  );

  /** The graph that is shown with all its parts; null for the whole program. */
  readonly graph = computed(() => {
    const graphs = this.program.value?.graphs ?? [];
    const found = graphs.find(({ id }) => id === this.chosenGraph.value) ?? null;
    return found === rootOf(graphs) ? null : found;
  });

  /** Whether something belongs to the graph that is shown. */
  readonly isOfGraph = computed(() => {
    const graph = this.graph.value;
    if (graph === null) return () => true;
    const shown = this.partsOf(graph.id);
    return (entry: Pick<Place, "graph">) => shown.has(entry.graph);
  });

  /** The ids of a graph and of its parts. */
  partsOf(graph: string): ReadonlySet<string> {
    return withParts(this.program.value?.graphs ?? [], graph);
  }

  /** The captured operations of a graph and of its parts. */
  nodesIn(graph: string): NodeSet {
    const parts = this.partsOf(graph);
    const nodes = this.program.value?.nodes.filter((node) => parts.has(node.graph)) ?? [];
    return new Set(nodes.map(({ id }) => id));
  }

  /** Whether a stage tells of the graph that is shown. */
  readonly isStageShown = computed(() => {
    const [graph, program] = [this.graph.value, this.program.value];
    if (graph === null || program === null) return () => true;
    const shown = this.partsOf(graphWithStages(program, graph.id));
    return (stage: Pick<Place, "graph">) => shown.has(stage.graph);
  });

  /** Whether a text is of no single kernel, or of one that is in the graph that is shown. */
  isOfShownKernel({ stage, artifact }: Shown): boolean {
    const parts = this.partsOf(stage.graph);
    const own = this.kernelsOf(stage.backend).filter(
      (kernel) => functionOf(kernel) === artifact.kernel && parts.has(kernel.graph),
    );
    return own.length === 0 || own.some(this.isOfGraph.value);
  }

  /** Whether something belongs to the graph and to the plan that are shown. */
  readonly isShown = computed(() => {
    const [isOfGraph, plan] = [this.isOfGraph.value, this.plan.value];
    return (entry: Place) => isOfGraph(entry) && isOfPlan(entry, plan);
  });

  /** Whether a stage tells of the graph and of the plan that are shown. */
  readonly isStageOfPlan = computed(() => {
    const [isStageShown, plan] = [this.isStageShown.value, this.plan.value];
    return (stage: Stage) => isStageShown(stage) && isOfPlan(stage, plan);
  });

  /** The chosen stage's place among all; the first look where none that is shown was chosen. */
  readonly stageIndex = computed(() => {
    const stages = this.stages.value;
    const index = Math.min(this.chosenStage.value ?? -1, stages.length - 1);
    const chosen = stages[index];
    if (chosen && this.isStageOfPlan.value(chosen)) return index;
    return firstLook(stages, this.isStageOfPlan.value);
  });

  readonly stage = computed(() => this.stages.value[this.stageIndex.value] ?? null);

  readonly list = new StageList(this);

  /** For each backend its plan's kernels, over all graphs: their places are their hues. */
  private readonly plans = computed(() => {
    const kernels = this.kernels.value;
    const of = (backend: string) => kernels.filter((kernel) => isOfPlan(kernel, backend));
    const named = this.backends.value.map((name) => [name, of(name)] as const);
    return new Map([["", kernels] as const, ...named]);
  });

  private readonly huesByPlan = computed(
    () => new Map([...this.plans.value].map(([name, kernels]) => [name, huesOf(kernels)])),
  );

  /** The backend whose kernels colour what is of no single plan: the IR, the snippet. */
  private readonly colouring = computed(() =>
    this.plan.value === ALL ? (this.backends.value[0] ?? "") : this.plan.value,
  );

  /** The kernels that `backend`'s plan has; of the plan that is shown where it is blank. */
  kernelsOf(backend: string): readonly Kernel[] {
    return this.plans.value.get(backend || this.colouring.value) ?? [];
  }

  /** The hues of `backend`'s kernels; of the plan that is shown where it is blank. */
  huesOf(backend: string): Hues {
    return this.huesByPlan.value.get(backend || this.colouring.value) ?? NO_HUES;
  }

  /** Whether the run is queued or going on. */
  readonly busy = computed(() => ["queued", "running"].includes(this.run.value?.state ?? ""));

  /** Whether the next run is to override something else than the shown one. */
  readonly isUndecided = computed(
    () => !areSame(this.options.value.overrides, this.run.value?.options.overrides ?? []),
  );

  /** Whether the editor holds another text than the one that was run. */
  readonly edited = computed(
    () => this.run.value !== null && this.run.value.source !== this.written.value,
  );

  private readonly telling = steady(() => tellingStages(this.stages.value));

  /** The program with no other stages than those that are a reason themselves. */
  private readonly reasoned = alike(
    () => this.program.value && { ...this.program.value, stages: this.telling.value },
  );

  /** Why the program is not faster, by kind and reason: of the core what its shown plan says. */
  readonly reasons = computed(() => {
    const program = this.reasoned.value;
    return program ? reasonsOf(findingsOf(program, this.onePlan.value)) : [];
  });

  /** The line of the snippet whose reasons were asked for. */
  readonly whyLine = signal<number | null>(null);

  /** What the report says of lines of the text that was run; the editor moves them with its edits. */
  readonly editorMarks = steady(() => marks(this.report.value));

  private readonly whyEntries = steady(() =>
    this.edited.value ? [] : [...whyByLine(this.reasons.value)],
  );

  /** For each line of the text that was run what there is to ask about; nothing of another text. */
  readonly whyMarks = computed(() => new Map(this.whyEntries.value));

  /** The line map of the editor's text; empty once the text is another one. */
  readonly sourceLines = computed(() =>
    this.edited.value ? NO_LINES : sourceMap(this.nodes.value),
  );

  /** `sign` is what the run is called beside another, as A; blank where it stands alone. A reader
   * looks, and asks for no run. */
  constructor(
    readonly address: Address,
    private readonly sign: string,
    readonly isReader: boolean,
  ) {}

  /** The name of a part of the page, which is another one beside another run. */
  called(name: string): string {
    return this.sign === "" ? name : `${name} of ${this.sign}`;
  }
}

/** A view of no run yet; `address` is where it writes down what it shows. */
export const createRunView = (address = NOWHERE, sign = "", isReader = false): RunView =>
  new RunView(address, sign, isReader);
