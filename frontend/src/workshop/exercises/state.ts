/** The exercises of the workshop that this tab is in: what is known of them, and what is done. */
import { batch, effect, signal } from "@preact/signals";
import { getRun, type Result } from "../../net/api";
import * as net from "../../net/exercises";
import { isOver } from "../../net/live";
import { waiting } from "../../lib/waiting";
import { keepChoice } from "../../store/chosen";
import { openAsked } from "../../store/running";
import type { RunView } from "../../store/runview";
import { PHONE } from "../../store/useMedia";
import { problem, room } from "../room/attending";
import { setExercises } from "../room/beside";
import { putInOwn } from "../room/handing";

const PENDING_MS = 1000;
// No answer came at all.
const LOST = 0;
const GOES_ON = "Your run goes on, and is checked when it is over";
const COMPARING = "Comparing with the reference over hidden inputs";

/** Null until they came. */
export const exercises = signal<readonly net.Exercise[] | null>(null);
/** The name of the one that is looked at; "" while none was chosen. */
export const chosen = signal("");
/** The name of the one on the page of the deck that is shown; "" where there is none. */
export const onPage = signal("");
/** What is being done at the moment, in words; "" for nothing. */
export const doing = signal("");
/** The name of the exercise for which it is done; "" for none. */
export const checked = signal("");
export const board = signal<readonly net.Standing[] | null>(null);

/** Asks for the exercises as they are now, and goes on with a check that a page before this began. */
export async function load(): Promise<void> {
  await refresh();
  const begun = exercises.peek()?.find(({ last }) => last?.pending);
  if (!begun?.last || doing.peek() !== "") return;
  checked.value = begun.name;
  await checkRun(begun, begun.last.run);
  end();
}

/** Nothing is being done any more. */
const end = (): void =>
  batch(() => {
    doing.value = "";
    checked.value = "";
  });

async function refresh(): Promise<void> {
  const answer = await ask((code) => net.getExercises(code));
  if (answer) exercises.value = answer.exercises;
}

/** Asks for the board; null where it is not shown. */
export async function loadBoard(): Promise<void> {
  const answer = await ask((code) => net.getBoard(code));
  board.value = answer ? answer.seats : null;
}

/** Puts the exercise's snippet into the editor. What stood there is kept. The exercise stays in sight
 * where there is room for both, in the list or on the page of the deck where it was begun. */
export function begin(view: RunView, { name, start }: net.Exercise, isInDeck: boolean): void {
  putInOwn(view, start);
  chosen.value = name;
  if (!isInDeck) setExercises(!matchMedia(PHONE).matches);
}

export async function openHint(exercise: net.Exercise): Promise<void> {
  const number = exercise.opened.length + 1;
  if (await ask((code) => net.openHint(code, exercise.name, number))) await load();
}

/** Adds an exercise, or changes one; whether that could be done. */
export async function add(name: string, files: net.Files): Promise<boolean> {
  const answer = await ask((code) => net.putExercise(code, name, files));
  if (answer === undefined) return false;
  await load();
  return true;
}

export async function remove(name: string): Promise<void> {
  if ((await ask((code) => net.removeExercise(code, name))) !== undefined) await load();
}

/** Checks what the editor holds, by a run of it that is called as the exercise says. */
export async function check(view: RunView, exercise: net.Exercise): Promise<void> {
  if (doing.value !== "") return;
  batch(() => {
    doing.value = "Running what the editor holds";
    checked.value = exercise.name;
  });
  const run = await ownRun(view, exercise);
  if (run !== null) await checkRun(exercise, run);
  end();
}

async function checkRun(exercise: net.Exercise, run: string): Promise<void> {
  const code = room.peek()?.code;
  if (code === undefined) return;
  doing.value = "Checking the run";
  const answer = await settled(code, exercise.name, run);
  problem.value = answer.ok ? null : answer.error;
  await refresh();
}

/** The attempt, when all that it compares was compared. */
async function settled(code: string, name: string, run: string): Promise<Result<net.Attempt>> {
  for (;;) {
    const answer = await net.attempt(code, name, run);
    const waitsFor = whyLater(answer);
    if (waitsFor === "" || room.peek()?.code !== code) return answer;
    doing.value = waitsFor;
    await new Promise((resolve) => setTimeout(resolve, PENDING_MS));
  }
}

/** Why an attempt is asked for again, in words; "" where it is over, or refused. */
function whyLater(answer: Result<net.Attempt>): string {
  if (answer.ok) {
    const { pending, runs, ahead, wait_s, waits_for } = answer.value;
    const what = runs ? GOES_ON : COMPARING;
    return pending ? [what, waiting(ahead, wait_s, waits_for)].filter(Boolean).join(": ") : "";
  }
  if (answer.status === LOST) return "Not connected: it is checked when the line is back";
  return answer.wait_s ? "Others have theirs checked before it" : "";
}

/** Asks for the run of what the editor holds, shows it and waits until it is over; null where it could
 * not be had. */
async function ownRun(view: RunView, { name }: net.Exercise): Promise<string | null> {
  const chosen = view.options.value;
  const source = view.written.value;
  const answer = await ask((code) => net.tryOut(code, name, source, view.editor));
  if (answer === undefined) return null;
  const { id } = answer;
  view.asked.value = id;
  if (view.run.value?.id !== id) {
    view.address.opened(id);
    // The next run that is asked for by hand has what was chosen for it, after a reload as well.
    keepChoice(id, chosen);
    await openAsked(view, id);
    view.options.value = chosen;
  }
  return (await over(view, id)) || (await overUnseen(id)) ? id : null;
}

/** Waits until a run is over that is shown no more: who follows was taken to the leader's. False where
 * the workshop was left meanwhile, or the run is gone. */
async function overUnseen(id: string): Promise<boolean> {
  const code = room.peek()?.code;
  doing.value = GOES_ON;
  for (;;) {
    const answer = await getRun(id);
    if (!answer.ok && answer.status !== LOST) problem.value = answer.error;
    if (answer.ok && isOver(answer.value.state)) return true;
    if ((!answer.ok && answer.status !== LOST) || room.peek()?.code !== code) return false;
    await new Promise((resolve) => setTimeout(resolve, PENDING_MS));
  }
}

/** Waits until the run is over; false where another is shown before that. */
function over(view: RunView, id: string): Promise<boolean> {
  return new Promise((resolve) => {
    let end = (): void => {};
    let isEnded = false;
    end = effect(() => {
      const run = view.run.value;
      if (isEnded || (run?.id === id && !isOver(run.state))) return;
      isEnded = true;
      resolve(run?.id === id);
      queueMicrotask(() => end());
    });
  });
}

/** Who asks in an effect does not depend on the room for it. */
async function ask<T>(asking: (code: string) => Promise<Result<T>>): Promise<T | undefined> {
  const code = room.peek()?.code;
  if (code === undefined) return undefined;
  const answer = await asking(code);
  problem.value = answer.ok ? null : answer.error;
  return answer.ok ? answer.value : undefined;
}
