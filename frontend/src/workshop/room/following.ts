/** Where the leader is, as a place: told by the leader's page, and gone to by those of whoever follows. */
import { batch, computed, signal, untracked } from "@preact/signals";
import { parseSight, withSight } from "../../lib/sight";
import { runOf } from "../../lib/urlstate";
import { writing } from "../../shell/keys";
import { changeSeat } from "../../net/workshop";
import { linkOf } from "../../store/address";
import { restore, shownOf } from "../../store/choosing";
import { choiceOf, keepChoice } from "../../store/chosen";
import { NOTHING } from "../../store/current";
import { ownOptions } from "../../store/examples";
import { open } from "../../store/running";
import type { RunView } from "../../store/runview";
import { holdsOwn, leaveRun } from "./aside";
import { ask, room, runIn, you } from "./attending";
import { goAlong } from "./beside";
import { going, hasGone } from "./going";
import { look, lookAnew, sight } from "./sight";

// The server takes no longer place.
const MOST = 8000;

/** What of a place was gone to, and whether whoever follows has asked for it just now. */
const seen = { place: "", bare: "", times: 0, isAsked: false };

/** Whether the leader is at another run than this page, whose person writes and was not taken there. */
export const isAwaited = signal(false);

/** Whether one wants to follow, until that is answered. */
const wanted = signal<boolean | null>(null);
/** Whether one does, or is about to. */
export const follows = computed(() => wanted.value ?? you.value?.follows ?? false);

/** Where this page is, as the others are told it; "" before the first run, and at the example of the front
 * page before its person touched it: nobody went there. */
export function placeOf(view: RunView): string {
  const run = hasGone.value ? view.run.value : runIn(view);
  if (!run) return "";
  const shown = shownOf(view);
  const place = withSight(linkOf(run.id, shown), sight.value, going.value);
  return place.length < MOST ? place : linkOf(run.id, { ...shown, nodes: [], values: [] });
}

/** Goes where the leader is, for whoever follows. The text in which somebody writes is not taken from
 * under their hands: they are told, and go there when they like. */
export function follow(view: RunView): void {
  if (!you.value?.follows) return;
  const place = room.value?.place ?? "";
  const { isAsked } = seen;
  const isAnew = seen.place === "";
  const inDeck = room.value?.deck?.latest ?? false;
  seen.isAsked = false;
  if (place === "" && isAsked) goAlong(inDeck);
  if (place === "" || place === seen.place) return;
  const there = parseSight(place);
  untracked(() => {
    isAwaited.value = !isAsked && takesText(view, there.bare);
    if (isAwaited.value) return;
    const { times, isShown } = there.going;
    const isAgain = times !== seen.times;
    // Who ran something of their own meanwhile stays with it where the leader only goes on there.
    const isElsewhere = there.bare !== seen.bare || (isAgain && isShown);
    const isAnother = isElsewhere && !isAt(view, runAt(there.bare));
    Object.assign(seen, { place, bare: there.bare, times });
    if (isElsewhere) goTo(view, there.bare);
    // What the leader went to last, the room knows.
    if (isAnew || isAgain || isAnother) goAlong(inDeck);
    if (there.sight) look(view, there.sight);
  });
}

/** Whether another run would come in the place of a text of one's own in which one writes. */
const takesText = (view: RunView, place: string): boolean =>
  !isAt(view, runAt(place)) &&
  view.shared.value === null &&
  holdsOwn(view) &&
  writing(document.activeElement);

/** Whoever follows from now on goes where the leader is, wherever that was. */
export function followAnew(): void {
  Object.assign(seen, { place: "", bare: "", isAsked: true });
  isAwaited.value = false;
  lookAnew();
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

/** Goes where the leader went while one wrote. */
export function comeAlong(view: RunView): void {
  followAnew();
  follow(view);
}

/** A run is about to be shown that is not what one asked for in the editor: what was written beside the
 * one before is kept, and what one chose for runs of one's own stays chosen. */
export function leaveFor(view: RunView, run: string | null): void {
  leaveRun(view);
  if (run !== null) keepChoice(run, choiceOf(ownOptions(view)));
}

/** Shows a run and what is looked at in it. */
export function goTo(view: RunView, place: string): void {
  const run = runAt(place);
  const isAnother = !isAt(view, run);
  if (isAnother) leaveFor(view, run);
  history[isAnother ? "pushState" : "replaceState"](null, "", place);
  if (isAnother) {
    void open(view, run);
    return;
  }
  batch(() => {
    view.selection.value = NOTHING;
    restore(view);
  });
}

/** Whether this is the run of the page's address. The example of the front page is not, though it is a run:
 * what is written over it is the front page's, and would be gone from the run's own when that is loaded. */
const isAt = (view: RunView, run: string | null): boolean =>
  !view.front.peek() && run === view.run.peek()?.id;

const runAt = (place: string): string | null => runOf(place.replace(/#.*/, ""));
