/** What lies beside the panes: the deck and the exercises. Both at once have room on a very wide page
 * alone; elsewhere one takes the place of the other, or the panes could not be read. */
import { batch, type Signal } from "@preact/signals";
import { deckOpen, exercisesOpen } from "../store/page";

const ROOMY = "(min-width: 1800px)";

export const setDeck = (isOpen: boolean): void => lay(deckOpen, exercisesOpen, isOpen);

export const setExercises = (isOpen: boolean): void => lay(exercisesOpen, deckOpen, isOpen);

function lay(one: Signal<boolean>, other: Signal<boolean>, isOpen: boolean): void {
  batch(() => {
    one.value = isOpen;
    if (isOpen && !matchMedia(ROOMY).matches) other.value = false;
  });
}
