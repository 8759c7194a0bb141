/** Coming into a workshop and going out of it: what runs meanwhile, in every part of it. */
import { batch, effect } from "@preact/signals";
import { UNREACHABLE } from "../net/api";
import {
  attend,
  changeSeat,
  changeWorkshop,
  getRoom,
  leaveWorkshop,
  type Room,
} from "../net/workshop";
import { write } from "../store/storage";
import { exercisesOpen, notify, workshop } from "../store/page";
import { setOptions } from "../store/running";
import type { RunView } from "../store/runview";
import { forgetStored } from "./deck/lives";
import { aside, forgetAside, recallAside, watchAside } from "./room/aside";
import {
  ask,
  changed,
  hear,
  isEditing,
  isLive,
  ownRun,
  problem,
  room,
  you,
} from "./room/attending";
import { follow, placeOf } from "./room/following";
import { isMeant, tab, watchActs } from "./room/front";
import { watchGoing } from "./room/going";
import { recallTaken } from "./room/handing";
import { watchSight } from "./room/sight";
import { tellOf } from "./room/telling";

const KEPT = "fuselab.workshop";
// How often a server is asked again that has not answered.
const AGAIN_MS = 3000;

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
  forgetStored();
  batch(() => {
    room.value = null;
    problem.value = null;
    workshop.value = null;
    exercisesOpen.value = false;
  });
  const left = why || "You have left the workshop.";
  notify(isKept ? `${left} What you had put aside is in your history.` : left);
}
