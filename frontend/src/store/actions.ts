/** What a person can do, and what the network tells: the only writers of store/state.ts. */
import { batch } from "@preact/signals";
import { paneOfStage } from "../lib/artifacts";
import { apply } from "../lib/fold";
import { sourceMap, type NodeSet } from "../lib/linemap";
import { moved, rows } from "../lib/stages";
import { pathOf, readView, runOf, writeView } from "../lib/urlstate";
import {
  cancelRun,
  createRun,
  getExamples,
  getRun,
  shareRun,
  type Run,
  type RunState,
} from "../net/api";
import { follow, isOver } from "../net/live";
import { EMPTY_REPORT, type Event, type Options } from "../wire";
import { activePane, showPane } from "./navigation";
import * as state from "./state";

let unfollow: () => void = () => {};
let toastTimer: ReturnType<typeof setTimeout> | undefined;

// -- a run's way ------------------------------------------------------------------------------

/** Runs what the editor holds. */
export async function start(): Promise<void> {
  if (state.busy.value) await cancel();
  const source = state.source.value;
  state.complaint.value = null;
  const answer = await createRun(source, state.options.value, isRepeat());
  if (!answer.ok) {
    state.complaint.value = answer.error;
    return;
  }
  const { id, existing } = answer.value;
  history.pushState(null, "", pathOf(id));
  if (existing) {
    say("This very run was made before; run it again to measure it anew.");
    await openAddress();
    return;
  }
  const { value: options } = state.options;
  activePane.value = "stages";
  begin({ id, source, options, state: "queued", shared: false, ...clock(null) });
  watch(id);
}

/** The same once more: whoever asks for that wants it measured anew, not yesterday's answer. */
function isRepeat(): boolean {
  const run = state.run.value;
  if (run === null || run.state === "cancelled" || state.edited.value) return false;
  return JSON.stringify(run.options) === JSON.stringify(state.options.value);
}

export async function cancel(): Promise<void> {
  const run = state.run.value;
  if (!run || isOver(run.state)) return;
  const answer = await cancelRun(run.id);
  if (!answer.ok) state.complaint.value = answer.error;
}

/** Opens the run that the address names, or leaves the front page as it is. */
export async function openAddress(): Promise<void> {
  const id = runOf(location.pathname);
  unfollow();
  if (id === null) {
    if (state.run.value) clear();
    return;
  }
  const answer = await getRun(id);
  if (!answer.ok) {
    clear();
    state.complaint.value = answer.error;
    return;
  }
  open(answer.value);
}

function open(run: Run): void {
  const over = isOver(run.state);
  batch(() => {
    state.source.value = run.source;
    state.options.value = run.options;
    const { id, source, options, shared } = run;
    begin({ id, source, options, state: run.state, shared, ...clock(run.finished) });
    if (over) state.report.value = run.report;
    restoreView();
  });
  if (!over) watch(run.id);
}

function clock(finished: string | null): Pick<state.Current, "startedAt" | "seconds" | "finished"> {
  if (finished !== null) return { startedAt: null, seconds: null, finished: new Date(finished) };
  return { startedAt: performance.now(), seconds: null, finished: null };
}

function begin(run: state.Current): void {
  unfollow();
  batch(() => {
    state.run.value = run;
    state.report.value = EMPTY_REPORT;
    state.progress.value = null;
    state.complaint.value = null;
    state.selection.value = state.NOTHING;
    state.programIndex.value = 0;
    state.chosenStage.value = null;
    state.link.value = "connecting";
  });
}

function clear(): void {
  batch(() => {
    state.run.value = null;
    state.report.value = EMPTY_REPORT;
    state.selection.value = state.NOTHING;
    state.progress.value = null;
  });
}

function watch(id: string): void {
  unfollow = follow(id, {
    events: fold,
    restart: () => (state.report.value = EMPTY_REPORT),
    state: changeState,
    link: (link) => (state.link.value = link),
    snapshot: (run) => {
      state.report.value = run.report;
      changeState(run.state);
    },
    refused: (message) => (state.complaint.value = message),
  });
}

function fold(events: Event[]): void {
  batch(() => {
    state.report.value = events.reduce(apply, state.report.value);
    for (const event of events) {
      if (event.type === "stage_began") state.progress.value = event;
      else if (event.type === "finished") state.progress.value = null;
    }
  });
}

function changeState(next: RunState): void {
  const run = state.run.value;
  if (!run) return;
  batch(() => {
    state.run.value = isOver(next) ? ended(run, next) : { ...run, state: next };
    if (isOver(next)) state.progress.value = null;
    // On a phone: what is wrong stands under the editor.
    if (next === "failed") activePane.value = "source";
  });
}

function ended(run: state.Current, now: RunState): state.Current {
  const seconds = run.startedAt === null ? null : (performance.now() - run.startedAt) / 1000;
  return { ...run, state: now, seconds, finished: run.finished ?? new Date() };
}

// -- sharing ----------------------------------------------------------------------------------

/** Keeps the run for good and copies its link. */
export async function share(): Promise<void> {
  const run = state.run.value;
  if (!run) {
    say("Run the snippet first: a link keeps a run with all its results.");
    return;
  }
  const answer = await shareRun(run.id);
  if (!answer.ok) {
    state.complaint.value = answer.error;
    return;
  }
  state.run.value = { ...run, shared: true };
  const note = state.edited.value ? " It shows the text that was run, without later edits." : "";
  say(`${(await copied(location.href)) ? "Link copied." : `The link: ${location.href}`}${note}`);
}

/** Puts a text on the clipboard; false where the browser does not allow it. */
export async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** Shows a confirmation for a while. */
export function say(text: string): void {
  clearTimeout(toastTimer);
  state.toast.value = text;
  toastTimer = setTimeout(() => (state.toast.value = null), 4000);
}

// -- choosing ---------------------------------------------------------------------------------

export function chooseProgram(index: number): void {
  batch(() => {
    state.programIndex.value = index;
    state.chosenStage.value = null;
    state.selection.value = state.NOTHING;
    state.chosenTexts.value = {};
  });
  writeAddress();
}

export function chooseStage(index: number): void {
  state.chosenStage.value = index;
  writeAddress();
}

/** Chooses a stage and brings the pane with what it made to the front. */
export function showStage(index: number): void {
  chooseStage(index);
  const stage = state.stages.value[index];
  if (stage) showPane(paneOfStage(stage));
}

/** Moves to the next (or previous) row of the stage list. */
export function stepStage(step: number): void {
  const list = rows(state.stages.value, state.hideUnchanged.value);
  chooseStage(moved(list, state.stageIndex.value, step));
}

export function chooseText(pane: string, key: string): void {
  state.chosenTexts.value = { ...state.chosenTexts.value, [pane]: key };
}

/** Lights up everything that comes from `nodes`. */
export function select(nodes: NodeSet, origin: string): void {
  const { nodes: before, origin: from } = state.selection.value;
  if (origin === from && nodes.size === before.size && [...nodes].every((n) => before.has(n)))
    return;
  state.selection.value = nodes.size === 0 ? state.NOTHING : { nodes, origin };
  writeAddress();
}

/** A line of the snippet was chosen: of this program, else of the one that has the line. */
export function selectSourceLine(line: number): void {
  if (state.edited.value) return;
  const { programs } = state.report.value;
  const has = (index: number) => {
    const program = programs[index];
    return program ? (sourceMap(program)[line - 1] ?? []) : [];
  };
  const here = state.programIndex.value;
  const order = [here, ...[...programs.keys()].filter((index) => index !== here)];
  const found = order.find((index) => has(index).length > 0);
  if (found === undefined) {
    select(new Set(), "source");
    return;
  }
  if (found !== here) chooseProgram(found);
  select(new Set(has(found)), "source");
}

/** The editor's text is now another. */
export function edit(text: string): void {
  state.source.value = text;
}

export function setOptions(change: Partial<Options>): void {
  state.options.value = { ...state.options.value, ...change };
}

// -- the address ------------------------------------------------------------------------------

function writeAddress(): void {
  const run = state.run.value;
  const view = {
    program: state.programIndex.value,
    stage: state.chosenStage.value,
    nodes: [...state.selection.value.nodes],
  };
  history.replaceState(null, "", pathOf(run?.id ?? null) + (run ? writeView(view) : ""));
}

function restoreView(): void {
  const view = readView(location.hash);
  state.programIndex.value = view.program;
  state.chosenStage.value = view.stage;
  if (view.nodes.length > 0) state.selection.value = { nodes: new Set(view.nodes), origin: "" };
}

export async function loadExamples(): Promise<void> {
  const answer = await getExamples();
  if (answer.ok) state.examples.value = answer.value.examples;
  else state.complaint.value = answer.error;
}
