/** What lies beside the panes: the deck and the exercises. Both at once have room on a very wide page
 * alone; elsewhere one takes the place of the other, or the panes could not be read. On a phone each lies
 * over them. */
import { batch, type Signal } from "@preact/signals";
import { PHONE } from "../shell/useMedia";
import { deckOpen, exercisesOpen } from "../store/page";

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

/** Opens the deck where the panes are seen in its place. */
export function showDeck(): void {
  if (matchMedia(PHONE).matches) setDeck(true);
}

function lay(one: Signal<boolean>, other: Signal<boolean>, isOpen: boolean): void {
  batch(() => {
    one.value = isOpen;
    if (isOpen && !matchMedia(ROOMY).matches) other.value = false;
  });
}
