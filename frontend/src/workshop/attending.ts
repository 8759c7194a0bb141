/** Being in a workshop: what is known of it, and what its person changes. */
import { batch, computed, effect, signal } from "@preact/signals";
import {
  attend,
  changePen,
  changeSeat,
  changeWorkshop,
  getRoom,
  leaveWorkshop,
  mute,
  setRemoved,
  type Room,
} from "../net/workshop";
import { UNREACHABLE, type Result } from "../net/api";
import { write } from "../store/kept";
import { exercisesOpen, notify, workshop } from "../store/page";
import { setOptions } from "../store/running";
import type { RunView } from "../store/runview";
import { aside, forgetAside, recallAside, watchAside } from "./aside";
import { forgetKept } from "./deck/lives";
import { follow, followAnew, isAwaited, placeOf } from "./following";
import { isMeant, tab, watchActs } from "./front";
import { watchGoing } from "./going";
import { recallTaken } from "./handing";
import { watchSight } from "./sight";
import { tellOf } from "./telling";

const KEPT = "fuselab.workshop";
// How often a server is asked again that has not answered.
const AGAIN_MS = 3000;

/** The workshop as it was last told; null before it is entered. */
export const room = signal<Room | null>(null);
export const isLive = signal(true);
export const problem = signal<string | null>(null);

export const you = computed(() => room.value?.seats.find(({ id }) => id === room.value?.you));
export const leader = computed(() => room.value?.seats.find(({ leads }) => leads)?.name ?? "");

/** Whether one wants to follow, until that is answered. */
const wanted = signal<boolean | null>(null);
/** Whether one does, or is about to. */
export const follows = computed(() => wanted.value ?? you.value?.follows ?? false);

/** How often the line told of the room, how many changes were asked for, and which was answered last. */
const count = { heard: 0, asked: 0, answered: 0 };

/** Takes the room as the line tells it. */
export function hear(now: Room): void {
  count.heard += 1;
  room.value = now;
}

/** Takes the room as the answer to a change has it, unless it is late: after that of a later change, or
 * after the line told of the room, which had the change or tells of it once more. */
export async function changed<T extends Room | null>(
  asking: Promise<Result<T>>,
): Promise<Result<T>> {
  const { heard } = count;
  const number = ++count.asked;
  const answer = await asking;
  problem.value = answer.ok ? null : answer.error;
  if (!answer.ok || !answer.value || count.heard > heard || count.answered > number) return answer;
  count.answered = number;
  room.value = answer.value;
  return answer;
}

/** Is in the workshop from now on, until the returned function is called. */
export function enter(view: RunView, first: Room): () => void {
  write("sessionStorage", KEPT, first.code);
  recallTaken(first.code);
  room.value = first;
  recallAside(first.code);
  setOptions(view, first.options);
  const ends = [
    sit(view, first),
    watchAside(),
    share(view, first.code),
    effect(() => (problem.value === UNREACHABLE ? tryAgain(first.code) : undefined)),
    attend(first.code, {
      room: hear,
      live: (now) => (isLive.value = now),
      out: (why) => goOut(why),
    }),
    effect(() => follow(view)),
    watchSight(view),
    watchGoing(),
    watchActs(),
    tellOf(
      () => (you.value?.leads ? placeOf(view) : ""),
      (place) => changeWorkshop(first.code, { place, tab: tab() }),
      isMeant,
    ),
    tellOf(
      () => ownRun(view),
      (run) => changeSeat(first.code, { run }),
    ),
    tellOf(
      () => (you.value?.leads ? "" : String(isEditing(view))),
      (editing) => changeSeat(first.code, { editing: editing === "true" }),
    ),
  ];
  return () => ends.forEach((end) => end());
}

/** Asks for the room until it is told, and there is no problem any more; or until the returned function is
 * called. */
function tryAgain(code: string): () => void {
  const timer = setInterval(() => void changed(getRoom(code)), AGAIN_MS);
  return () => clearInterval(timer);
}

/** All tabs of a seat are one editor: of its runs that wait only the newest stays. */
function sit(view: RunView, { code, you }: Room): () => void {
  const own = view.editor;
  view.editor = `${code}-${you}`;
  return () => {
    view.editor = own;
  };
}

/** Has the shared text at hand, whose code is a file of its own. */
function share(view: RunView, code: string): () => void {
  let end: (() => void) | null = () => {};
  import("./shared/session").then(
    ({ begin }) => end && (end = begin(view, code)),
    () => (problem.value = "The page could not fetch the shared text. Reload it to try again."),
  );
  return () => {
    end?.();
    end = null;
  };
}

/** The run that is shown, but for the example of the front page. */
export const runIn = (view: RunView) => (view.front.value ? null : view.run.value);

/** Whether the text that is shown is one's to write, and was not run. */
export function isEditing(view: RunView): boolean {
  if (view.shared.value !== null && !you.value?.pen) return false;
  return view.run.value === null ? view.written.value.trim() !== "" : view.edited.value;
}

/** The run that is this seat's work: one that was asked for from here, and not the leader's, at which
 * who has followed still looks; of whoever follows what they asked for last; "" for none. */
export function ownRun(view: RunView): string {
  const run = runIn(view);
  if (!run?.mine || (you.value?.follows && run.id !== view.asked.value)) return "";
  return run.id;
}

/** Follows the leader, or goes one's own way again. What is asked for before the one before is answered is
 * told after that. */
export async function setFollows(to: boolean): Promise<void> {
  if (to) followAnew();
  else isAwaited.value = false;
  const isTold = wanted.peek() !== null;
  wanted.value = to;
  if (isTold) return;
  let told: boolean;
  do {
    told = wanted.peek()!;
    await ask((code) => changeSeat(code, { follows: told }));
  } while (told !== wanted.peek());
  wanted.value = null;
}

export const setLocked = (locked: boolean) => ask((code) => changeWorkshop(code, { locked }));

export const givePen = (seat: number, pen: boolean) => ask((code) => changePen(code, seat, pen));
export const setMuted = (seat: number, muted: boolean) => ask((code) => mute(code, seat, muted));
export const setKept = (kept: boolean) => ask((code) => changeWorkshop(code, { kept }));
export const setBoard = (board: boolean) => ask((code) => changeWorkshop(code, { board }));

/** What the leader said was read. */
export const dismiss = () => ask((code) => changeSeat(code, { comment: "" }));

export const remove = (seat: number) => ask((code) => setRemoved(code, seat, true));
export const letBack = (seat: number) => ask((code) => setRemoved(code, seat, false));

export async function leave(): Promise<void> {
  if (await ask((code) => leaveWorkshop(code))) goOut("");
}

/** The tab no longer looks for a workshop. */
export function forget(): void {
  write("sessionStorage", KEPT, null);
  forgetAside();
}

function goOut(why: string): void {
  const isKept = aside.value.length > 0;
  forget();
  forgetKept();
  batch(() => {
    room.value = null;
    problem.value = null;
    workshop.value = null;
    exercisesOpen.value = false;
  });
  const left = why || "You have left the workshop.";
  notify(isKept ? `${left} What you had put aside is in your history.` : left);
}

/** Asks for a change of this room; whether it was made. */
export async function ask(
  asking: (code: string) => Promise<Result<Room | null>>,
): Promise<boolean> {
  const code = room.value?.code;
  if (code === undefined) return false;
  return (await changed(asking(code))).ok;
}
