/** What is known of the workshop that this tab is in, and what its person changes. */
import { computed, signal } from "@preact/signals";
import {
  changePen,
  changeSeat,
  changeWorkshop,
  mute,
  setRemoved,
  type Room,
} from "../../net/workshop";
import type { Result } from "../../net/api";
import type { RunView } from "../../store/runview";

/** The workshop as it was last told; null before it is entered. */
export const room = signal<Room | null>(null);
export const isLive = signal(true);
export const problem = signal<string | null>(null);

export const you = computed(() => room.value?.seats.find(({ id }) => id === room.value?.you));
export const leader = computed(() => room.value?.seats.find(({ leads }) => leads)?.name ?? "");

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

export const setLocked = (locked: boolean) => ask((code) => changeWorkshop(code, { locked }));

export const givePen = (seat: number, pen: boolean) => ask((code) => changePen(code, seat, pen));
export const setMuted = (seat: number, muted: boolean) => ask((code) => mute(code, seat, muted));
export const setKept = (kept: boolean) => ask((code) => changeWorkshop(code, { kept }));
export const setBoard = (board: boolean) => ask((code) => changeWorkshop(code, { board }));

/** What the leader said was read. */
export const dismiss = () => ask((code) => changeSeat(code, { comment: "" }));

export const remove = (seat: number) => ask((code) => setRemoved(code, seat, true));
export const letBack = (seat: number) => ask((code) => setRemoved(code, seat, false));

/** Asks for a change of this room; whether it was made. */
export async function ask(
  asking: (code: string) => Promise<Result<Room | null>>,
): Promise<boolean> {
  const code = room.value?.code;
  if (code === undefined) return false;
  return (await changed(asking(code))).ok;
}
