/** What lies beside the panes: the deck and the exercises. Both at once have room on a very wide page
 * alone; elsewhere one takes the place of the other, or the panes could not be read. On a phone each lies
 * over them. */
import { batch, type Signal } from "@preact/signals";
import { writing } from "../../shell/keys";
import { PHONE } from "../../store/useMedia";
import { deckOpen, exercisesOpen, notify } from "../../store/page";

const ROOMY = "(min-width: 1800px)";

export const setDeck = (isOpen: boolean): void => lay(deckOpen, exercisesOpen, isOpen);

export const setExercises = (isOpen: boolean): void => lay(exercisesOpen, deckOpen, isOpen);

/** Puts out of the way what lies over the panes. */
export function showPanes(): void {
  if (!matchMedia(PHONE).matches) return;
  batch(() => {
    deckOpen.value = false;
    exercisesOpen.value = false;
  });
}

/** Shows what the leader went to last on a phone, the deck or the panes. Nothing takes the place of what
 * somebody works on, which is told of it: an exercise that is open stays over it, and the deck is not laid
 * over a text in which somebody writes, whose next letters would go nowhere. */
export function goAlong(isDeck: boolean): void {
  if (!matchMedia(PHONE).matches) return;
  if (isDeck && !deckOpen.peek() && writing(document.activeElement)) {
    notify("The leader goes on in the deck. Press Deck to see it.");
    return;
  }
  deckOpen.value = isDeck;
  if (exercisesOpen.peek()) notify("What the leader shows now is behind the exercise.");
}

function lay(one: Signal<boolean>, other: Signal<boolean>, isOpen: boolean): void {
  batch(() => {
    one.value = isOpen;
    if (isOpen && !matchMedia(ROOMY).matches) other.value = false;
  });
}
