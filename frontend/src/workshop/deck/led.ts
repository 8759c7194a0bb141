/** What the leader ran in the blocks of the deck: whoever follows, and another machine of the leader's, sees
 * it in theirs until they run something there themselves. */
import { signal } from "@preact/signals";
import { tellRan } from "../../net/courses";
import { room, you } from "../room/attending";
import { afterTelling } from "../room/telling";

/** Which of the leader's runs in a block one's own took the place of. */
const passed = signal<Readonly<Record<string, string>>>({});

const ranAt = (place: string): string | undefined => room.value?.deck?.ran[place];

/** The leader's run that is to be seen in a block, by "page block", in which `own` is shown; null where
 * that is it, or there is none. */
export function ledRun(place: string, own: string | undefined): string | null {
  const run = ranAt(place);
  const sees = you.value?.follows || you.value?.leads;
  return sees && run !== undefined && run !== own && run !== passed.value[place] ? run : null;
}

/** One's own run is on its way to a block: it is what is seen there. */
export function goPast(place: string): void {
  const run = ranAt(place);
  if (run !== undefined) passed.value = { ...passed.peek(), [place]: run };
}

/** Whoever follows is told of a run that the leader asked for in a block. */
export function tellLed(place: string, run: string): void {
  const code = room.peek()?.code;
  if (you.peek()?.leads && code !== undefined) void afterTelling(() => tellRan(code, place, run));
}
