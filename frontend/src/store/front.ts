/**
 * The front page of who has written nothing here: a finished example, a run that comes with the project,
 * and notes that say what to look at. A paste replaces it; Run runs it on this server.
 */
import { batch, effect, untracked } from "@preact/signals";
import { firstNotes } from "../lib/notes";
import { isReplaced } from "../lib/replaced";
import { runOf } from "../lib/urlstate";
import { getFirst } from "../net/api";
import { select } from "./choosing";
import { leaveFront } from "./examples";
import { unread } from "./notes";
import { loadExamples, examples, notify, workshop } from "./page";
import { edit, present } from "./running";
import type { RunView } from "./runview";

/** Ends when nothing that is pasted takes the example's place any more. */
let taking = new AbortController();

/** Shows the example, unless something else is there by the time that it comes. */
export async function showFirst(view: RunView): Promise<void> {
  const answer = await getFirst();
  if (!isBlank(view)) return;
  if (!answer.ok) {
    await offerAnother(view, answer.error);
    return;
  }
  const { line, run } = answer.value;
  batch(() => {
    present(view, run);
    view.front.value = true;
    select(view, nodesAt(view, line), "");
    // In a workshop somebody else says what to look at.
    view.notes.value =
      workshop.peek() === null
        ? unread(firstNotes(view.report.value, view.run.value!.finished))
        : [];
  });
  view.navigation.dock?.show("timings");
  taking.abort();
  taking = new AbortController();
  const listening = { capture: true, signal: taking.signal };
  addEventListener("paste", (event) => pasted(view, event), listening);
  taking.signal.addEventListener("abort", leaveWhenReplaced(view));
}

/** From now on, until what it gives is called: the example goes once another text is in its place. */
const leaveWhenReplaced = (view: RunView): (() => void) =>
  effect(() => {
    const [text, example] = [view.source.value, view.run.value?.source];
    if (!view.front.value || view.shared.value !== null || example === undefined) return;
    // Who empties the editor has put nothing there yet.
    if (text.trim() !== "" && isReplaced(example, text)) untracked(() => leave(view, text));
  });

/** Gives the example's place, and its options, to a text of one's own. */
function leave(view: RunView, text: string): void {
  batch(() => {
    leaveFront(view);
    edit(view, text);
  });
  notify(
    "Your snippet runs with the default options and what you have set, not with the example's.",
  );
}

/** The captured operations of a line of the snippet. */
const nodesAt = ({ program }: RunView, line: number): ReadonlySet<number> =>
  new Set((program.value?.nodes ?? []).filter((node) => node.line === line).map(({ id }) => id));

/** Whether nothing is there, nor asked for: another run's answer may be on its way. */
const isBlank = ({ run, source }: RunView): boolean =>
  run.value === null && source.value.trim() === "" && runOf(location.pathname) === null;

/** The text of an example, where its results cannot be had. */
async function offerAnother(view: RunView, problem: string): Promise<void> {
  view.complaint.value = (await loadExamples()) ?? problem;
  const [first] = examples.value;
  if (first && isBlank(view)) edit(view, first.source);
}

/** A program that is pasted takes the example's place, wherever on the page; a word stays a word. */
function pasted(view: RunView, event: ClipboardEvent): void {
  if (!view.front.value || view.shared.value !== null) {
    taking.abort();
    return;
  }
  const text = event.clipboardData?.getData("text/plain") ?? "";
  if (!text.trim().includes("\n") || isField(event.target)) return;
  event.preventDefault();
  event.stopPropagation();
  leave(view, text);
}

const isField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (["INPUT", "TEXTAREA"].includes(target.tagName) || target.closest(".deck") !== null);
