/** That whoever leads went to the panes: their place says the how many-th time it is. What comes into sight
 * there by itself, as after a reload, is told as well, and takes nobody from the deck. */
import { batch, effect, signal, untracked } from "@preact/signals";
import { parseSight, type Going } from "../../lib/sight";
import { panesGoneTo } from "../../store/page";
import { room } from "./attending";
import { tab } from "./front";

// A key that moves the focus into them goes up there.
const TOUCHES = ["pointerdown", "keydown", "keyup", "wheel"] as const;
const PANES = "#panes";

/** Whether they did on this page, since it is in the room. */
export const hasGone = signal(false);

/** How they did last. Only what is done on this page changes it. */
export const going = signal<Going>({ times: 0, isShown: false });

const told = (): Going => parseSight(room.peek()?.place ?? "").going;

// Of so many machines and tabs hardly two count alike.
const KINDS = 997;

/** A higher number than was told, also where another machine of theirs has counted on; and one that none
 * takes which counts at the same moment: whoever follows would not know that they went there again. */
function next(): number {
  const least = Math.max(going.peek().times, told().times) + 1;
  const own = Number.parseInt(tab(), 36) % KINDS;
  return least + ((KINDS + own - (least % KINDS)) % KINDS);
}

/** They go there now; `isShown`: to show all who follow what they look at, whatever those look at. */
export const goToPanes = (isShown: boolean): void =>
  batch(() => {
    hasGone.value = true;
    going.value = { times: next(), isShown };
  });

/** Counts a touch of the panes that comes after one elsewhere, or after the deck was gone to at another
 * machine, until the returned function is called. */
export function watchGoing(): () => void {
  batch(() => {
    hasGone.value = false;
    // A page that is loaded again says what it said.
    going.value = told();
  });
  let isThere = false;
  const come = (isNow: boolean) => {
    const wasThere = isThere && !room.peek()?.deck?.latest;
    isThere = isNow;
    if (isThere && !wasThere) goToPanes(false);
  };
  // A key with the focus nowhere leads away from nothing.
  const touch = ({ target }: Event) => {
    if (target instanceof Element && target !== document.body) come(target.closest(PANES) !== null);
  };
  const before = panesGoneTo.peek();
  const end = effect(() => {
    if (panesGoneTo.value > before) untracked(() => come(true));
  });
  for (const name of TOUCHES) document.addEventListener(name, touch, LISTEN);
  return () => {
    end();
    for (const name of TOUCHES) document.removeEventListener(name, touch, LISTEN);
  };
}

const LISTEN = { capture: true, passive: true } as const;
