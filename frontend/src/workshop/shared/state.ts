/** What the page knows of the text that its workshop writes together; session.ts writes it. */
import { computed, signal, type ReadonlySignal, type Signal } from "@preact/signals";
import { room, you } from "../room/attending";
import type { Copy } from "./copy";

export interface Sharing {
  /** The copy of this page; another after a change of it was refused. */
  copy: ReadonlySignal<Copy>;
  /** What it says. */
  text: ReadonlySignal<string>;
  /** Whether this page has all that the server has, and the line holds. */
  isLive: ReadonlySignal<boolean>;
  /** What was written here and not taken, and why. */
  refused: Signal<{ text: string; why: string } | null>;
}

/** Null until the workshop is entered and the code for it is here. */
export const sharing = signal<Sharing | null>(null);

/** Whether one may write in it. */
export const hasPen = computed(() => you.value?.pen ?? false);

/** The names of those who may, each once: a leader's second machine has the same. */
export const holders = computed(() => [
  ...new Set((room.value?.seats ?? []).filter(({ pen }) => pen).map(({ name }) => name)),
]);
