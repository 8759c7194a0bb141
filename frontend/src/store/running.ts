/** A run's way: asked for, followed while it goes on, opened, shared. */
import { batch } from "@preact/signals";
import { apply } from "../lib/apply";
import { againMs } from "../net/again";
import { cancelRun, createRun, getRun, type Run, type RunState } from "../net/api";
import { follow, isOver, type Link } from "../net/live";
import { EMPTY_REPORT, type Event, type Options } from "../wire";
import { restore, writeDown } from "./choosing";
import { choiceBeside, keepChoice } from "./chosen";
import { draftOf, dropDraft } from "./drafts";
import { isLeftOver, OF_A_TEXT } from "./leftover";
import { notify } from "./page";
import { NOTHING, type Current } from "./current";
import type { RunView } from "./runview";

/** One's own text is now another, and is what is shown. */
export function edit(view: RunView, text: string): void {
  batch(() => {
    view.source.value = text;
    view.shared.value = null;
  });
}

export function setOptions(view: RunView, change: Partial<Options>): void {
  view.options.value = { ...view.options.value, ...change };
}

/** Runs what the editor holds; a writer who `stays` is not led to what comes of it. */
export async function start(view: RunView, stays = false): Promise<void> {
  if (view.busy.value) await cancel(view);
  if (isLeftOver(view)) setOptions(view, OF_A_TEXT);
  const shown = view.navigation.active.value;
  await launch(view, view.written.value, view.options.value, isRepeat(view));
  if (stays) view.navigation.active.value = shown;
}

/** Runs the shown run's text once more with what was asked of it, whatever the editor holds now, and
 * measures: anew, where that run had measured. */
export async function measureAgain(view: RunView): Promise<void> {
  const run = view.run.value;
  if (run === null || !isOver(run.state)) return;
  const options = { ...run.options, measure: true };
  await launch(view, run.source, options, run.options.measure, choiceBeside(run.id));
}

async function launch(
  view: RunView,
  source: string,
  options: Options,
  fresh: boolean,
  choice: Partial<Options> | null = null,
): Promise<void> {
  view.complaint.value = null;
  void import("./history").then(({ remember }) => remember(source));
  const held = heldAgainst(view);
  view.asking.value += 1;
  const answer = await inOrder(view, () => createRun(source, options, fresh, view.editor));
  view.asking.value -= 1;
  if (!answer.ok) {
    view.complaint.value = answer.error;
    return;
  }
  const { id, existing } = answer.value;
  const before = view.run.value;
  view.asked.value = id;
  keepChoice(id, choice);
  view.address.opened(id);
  if (existing) await openAgain(view, id);
  else beginNew(view, { id, source, options });
  hold(view, held);
  // What was written there and run is the new run's text; what was not run stays.
  if (before && before.id !== id && draftOf(before.id) === source) dropDraft(before.id);
}

const asking = new WeakMap<RunView, Promise<unknown>>();

// A line on which nothing comes back is given up by the browser after minutes.
const MOST_MS = 5000;

/** Asks when what was asked before is answered: of two presses the server hears the last one last, whose run
 * takes the place of the other's. One that is not answered holds up no other for longer than `MOST_MS`. */
function inOrder<T>(view: RunView, ask: () => Promise<T>): Promise<T> {
  const before = asking.get(view);
  const enough = () => new Promise((resolve) => setTimeout(resolve, MOST_MS));
  const answer = before ? Promise.race([before, enough()]).then(ask) : ask();
  asking.set(view, answer);
  return answer;
}

async function openAgain(view: RunView, id: string): Promise<void> {
  notify("This very run was made before; run it again to measure it anew.");
  await openAsked(view, id);
}

function beginNew(view: RunView, asked: Pick<Current, "id" | "source" | "options">): void {
  view.navigation.active.value = "stages";
  const clock = { seconds: 0, heard: performance.now(), finished: null };
  const waits = { ahead: null, waitS: null, waitsFor: "" };
  begin(view, { ...asked, state: "queued", shared: false, mine: true, ...clock, ...waits });
  watch(view, asked.id);
}

/** What the next run is held against: the shown one where only what is overridden differs. */
function heldAgainst(view: RunView): RunView["before"]["value"] {
  const run = view.run.value;
  if (run === null || run.state !== "done" || view.edited.value) return null;
  if (isRepeat(view)) return view.before.value;
  const options = { ...view.options.value, overrides: run.options.overrides };
  const alone = JSON.stringify(options) === JSON.stringify(run.options);
  return alone ? { id: run.id, report: view.report.value } : null;
}

function hold(view: RunView, held: RunView["before"]["value"]): void {
  if (held === null || held.id === view.run.value?.id) return;
  view.before.value = held;
  writeDown(view);
}

/** The same once more: whoever asks for that wants it measured anew, not yesterday's answer. */
function isRepeat(view: RunView): boolean {
  const run = view.run.value;
  if (run === null || run.state === "cancelled" || view.edited.value) return false;
  if (view.front.value) return true;
  return JSON.stringify(run.options) === JSON.stringify(view.options.value);
}

export async function cancel(view: RunView): Promise<void> {
  const run = view.run.value;
  if (!run || isOver(run.state)) return;
  const answer = await cancelRun(run.id);
  if (!answer.ok) view.complaint.value = answer.error;
  else if (!isOver(answer.value.state)) notify("Somebody else waits for the same run: it goes on.");
}

/** Shows the run of an id, or none: of several that are asked for in a row the last. */
export async function open(view: RunView, id: string | null): Promise<void> {
  const turn = ++view.turn;
  view.coming.value = true;
  const before = view.source.peek();
  // What is written meanwhile stays.
  const use = (run: Run) =>
    view.source.peek() === before ? present(view, run) : show(view, run, view.source.peek());
  if (id !== null) await fetchRun(view, id, use);
  else {
    view.unfollow();
    await openFront(view);
  }
  if (view.turn === turn) view.coming.value = false;
}

/** Shows the run that was asked for with what is written: by the time that it is here more may be
 * written, or another text be shown, and each stays as it is. */
export const openAsked = (view: RunView, id: string): Promise<void> => {
  view.turn += 1;
  return fetchRun(view, id, (run) => show(view, run, view.source.peek()));
};

/** Asks for a run, and while the server is away once more after a while: unless something else is to be
 * shown by then. */
async function fetchRun(
  view: RunView,
  id: string,
  use: (run: Run) => void,
  attempt = 0,
): Promise<void> {
  view.unfollow();
  const { turn } = view;
  const answer = await getRun(id);
  if (view.turn !== turn) return;
  if (answer.ok) {
    use(answer.value);
    return;
  }
  clear(view);
  view.complaint.value = answer.error;
  const wait = againMs(answer, attempt);
  if (wait === null) return;
  const again = setTimeout(() => void fetchRun(view, id, use, attempt + 1), wait);
  view.unfollow = () => clearTimeout(again);
}

/** What was written on the front page, else its example. */
async function openFront(view: RunView): Promise<void> {
  clear(view);
  const draft = draftOf(null) ?? "";
  edit(view, draft);
  if (draft.trim() !== "") return;
  await (await import("./front")).showFirst(view);
}

/** Shows a run that is known, and follows it while it goes on. */
export function present(view: RunView, run: Run): void {
  const kept = view.isReader ? null : draftOf(run.id);
  // While the shared text is shown, one's own stays as it is.
  show(view, run, view.shared.peek() === null ? (kept ?? run.source) : view.source.peek());
}

function show(view: RunView, run: Run, source: string): void {
  const over = isOver(run.state);
  batch(() => {
    view.source.value = source;
    // The numbers of one check are no choice of anybody's.
    view.options.value = { ...run.options, seed: null, ...choiceBeside(run.id) };
    begin(view, currentOf(run));
    if (over) view.report.value = run.report;
    restore(view);
  });
  if (!over) watch(view, run.id);
}

function currentOf(run: Run): Current {
  const { id, source, options, state, shared, mine, seconds, finished } = run;
  const heard = isOver(state) ? null : performance.now();
  const ended = finished === null ? null : new Date(finished);
  return {
    id,
    source,
    options,
    state,
    shared,
    mine,
    seconds,
    heard,
    finished: ended,
    ahead: run.ahead,
    waitS: run.wait_s,
    waitsFor: run.waits_for,
  };
}

function begin(view: RunView, run: Current): void {
  view.unfollow();
  view.turn += 1;
  batch(() => {
    view.coming.value = false;
    if (view.front.value) view.notes.value = [];
    view.front.value = false;
    view.run.value = run;
    view.report.value = EMPTY_REPORT;
    view.before.value = null;
    view.progress.value = null;
    view.complaint.value = null;
    view.selection.value = NOTHING;
    view.programIndex.value = 0;
    view.chosenStage.value = null;
    view.chosenGraph.value = null;
    view.link.value = "connecting";
  });
}

/** Shows no run. */
export function clear(view: RunView): void {
  batch(() => {
    view.front.value = false;
    view.notes.value = [];
    view.run.value = null;
    view.report.value = EMPTY_REPORT;
    view.selection.value = NOTHING;
    view.progress.value = null;
  });
}

function watch(view: RunView, id: string): void {
  view.unfollow = follow(id, {
    events: (events) => applyAll(view, events),
    restart: () => (view.report.value = EMPTY_REPORT),
    state: (state) => changeState(view, state),
    link: (link) => changeLink(view, link),
    clock: (seconds) => setClock(view, seconds, performance.now()),
    waits: (ahead, waitS, waitsFor) => setWait(view, { ahead, waitS, waitsFor }),
    snapshot: (run) => {
      view.report.value = run.report;
      setClock(view, run.seconds, null);
      setWait(view, { ahead: run.ahead, waitS: run.wait_s, waitsFor: run.waits_for });
      changeState(view, run.state);
    },
    refused: (message) => (view.complaint.value = message),
  });
}

/** Takes the next events of the run. */
export function applyAll(view: RunView, events: readonly Event[]): void {
  batch(() => {
    view.report.value = events.reduce(apply, view.report.value);
    for (const event of events) {
      if (event.type === "stage_began") view.progress.value = event;
      else if (event.type === "finished") view.progress.value = null;
    }
  });
}

function changeState(view: RunView, next: RunState): void {
  const run = view.run.value;
  if (!run) return;
  batch(() => {
    view.run.value = isOver(next) ? ended(run, next) : { ...run, state: next };
    if (isOver(next)) view.progress.value = null;
    // On a phone: what is wrong stands under the editor.
    if (next === "failed") view.navigation.active.value = "source";
  });
}

function ended(run: Current, now: RunState): Current {
  return { ...run, state: now, heard: null, finished: run.finished ?? new Date() };
}

function setClock(view: RunView, seconds: number, heard: number | null): void {
  const run = view.run.value;
  if (run) view.run.value = { ...run, seconds, heard };
}

function setWait(view: RunView, wait: Pick<Current, "ahead" | "waitS" | "waitsFor">): void {
  const run = view.run.value;
  if (run) view.run.value = { ...run, ...wait };
}

/** Nobody knows how long a run takes whose line is lost: its clock stands until it is heard again. */
function changeLink(view: RunView, link: Link): void {
  const before = view.link.value;
  view.link.value = link;
  if (link === "live" && isAway(before)) notify("Connected again: nothing was lost.");
  const run = view.run.value;
  if (isAway(link) && run?.heard) setClock(view, secondsOf(run, performance.now()), null);
}

const isAway = (link: Link): boolean => link === "lost" || link === "polling";

/** How long a run has taken at `now` on this page's clock. */
export const secondsOf = ({ seconds, heard }: Current, now: number): number =>
  heard === null ? seconds : seconds + (now - heard) / 1000;
