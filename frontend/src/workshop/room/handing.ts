/** Texts that go from the leader to the seats and back: each opens as a text of one's own, beside what
 * stood there. */
import { computed, signal } from "@preact/signals";
import { getRun } from "../../net/api";
import { commentOn, getHandOut, getSentBack, handOut } from "../../net/workshop";
import { read, write } from "../../store/storage";
import { notify } from "../../store/page";
import { edit } from "../../store/running";
import type { RunView } from "../../store/runview";
import { makeRoom } from "./aside";
import { ask, problem, room, you } from "./attending";
import { showPanes } from "./beside";

const TAKEN = "fuselab.handout";

const taken = signal(0);

/** Whether a snippet was handed out that was not looked at yet. */
export const isHanded = computed(
  () => !you.value?.leads && (room.value?.handed_out ?? 0) > taken.value,
);

/** What was taken in this browser, in whatever tab. */
export function recallTaken(code: string): void {
  taken.value = Number(read("localStorage", `${TAKEN}.${code}`) ?? 0);
}

/** Hands out what the editor holds, unless that was handed out last. */
export async function giveOut(view: RunView): Promise<void> {
  const before = room.value?.handed_out;
  if (!(await ask((code) => handOut(code, view.written.value)))) return;
  const isThere = room.value?.handed_out === before;
  notify(isThere ? "All seats have this very text already." : "Handed out to all seats.");
}

/** Puts a snippet that was handed out into the editor, the last unless another is meant. What stood there
 * is kept. */
export async function take(view: RunView, number = room.value?.handed_out ?? 0): Promise<void> {
  const code = room.value?.code;
  if (code === undefined) return;
  const answer = await getHandOut(code, number);
  problem.value = answer.ok ? null : answer.error;
  if (!answer.ok) return;
  taken.value = Math.max(taken.value, number);
  write("localStorage", `${TAKEN}.${code}`, String(taken.value));
  putInOwn(view, answer.value.source);
}

/** Puts a text into one's own editor. What stood there is kept. */
export function putInOwn(view: RunView, text: string): void {
  makeRoom(view, text);
  edit(view, text);
  showPanes();
  view.navigation.show("source");
}

/** Sends the seat what the leader has to say of its work, and a text with it. */
export const sendBack = (seat: number, comment: string, text?: string) =>
  ask((code) => commentOn(code, seat, { comment, sent_back: text }));

/** Puts the text that came with it into the editor. What stood there is kept. */
export async function takeBack(view: RunView): Promise<void> {
  const code = room.value?.code;
  const answer = code === undefined ? null : await getSentBack(code);
  if (answer?.ok) putInOwn(view, answer.value.source);
  else problem.value = answer?.error ?? null;
}

/** Puts the text that somebody ran last into the editor, to be changed and sent back. */
export async function takeTheirs(view: RunView, run: string): Promise<void> {
  const answer = await getRun(run);
  if (answer.ok) putInOwn(view, answer.value.source);
  else problem.value = answer.error;
}
