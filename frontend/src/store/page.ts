/** What belongs to the page, whichever runs it shows: examples, the help sheet, confirmations. */
import { signal } from "@preact/signals";
import type { Example } from "../lib/gallery";
import type { Toolchain } from "../lib/toolchains";
import { getExamples, getToolchains } from "../net/api";
import type { Options } from "../wire";

/** Those that workers had when they were last asked. */
export const toolchains = signal<readonly Toolchain[]>([]);

/** The environments of further compilers that some worker has; null until workers were asked. */
export const extras = signal<readonly string[] | null>(null);

export const examples = signal<readonly Example[]>([]);

export const helpOpen = signal(false);

/** The text that the form of inputs was opened with, which lies over the page; null while it does not. */
export const inputsAt = signal<string | null>(null);

/** Whether the gallery lies over the page; the name of the example that it shows, "" for the first. */
export const galleryAt = signal<string | null>(null);

export const shareOpen = signal(false);

export const deskOpen = signal(false);

/** The code of the workshop that this tab is in, or about to enter; "" while one is to be opened. */
export const workshop = signal<string | null>(null);

/** What of the options all runs of that workshop have: nobody in it can choose otherwise. */
export const roomOptions = signal<Partial<Options>>({});

/** What that workshop is called; "" before that is known. */
export const roomTitle = signal("");

/** Whether the deck of a workshop lies beside the panes. */
export const deckOpen = signal(false);

/** Whether the exercises of a workshop lie beside the panes. */
export const exercisesOpen = signal(false);

/** How often its person went to the panes by a key that works everywhere. */
export const panesGoneTo = signal(0);

/** A short confirmation, gone after a while. */
export const toast = signal<string | null>(null);

const TOAST_MS = 4000;
let toastTimer: ReturnType<typeof setTimeout> | undefined;

/** Shows a confirmation for a while. */
export function notify(text: string): void {
  clearTimeout(toastTimer);
  toast.value = text;
  toastTimer = setTimeout(() => (toast.value = null), TOAST_MS);
}

/** Puts a text on the clipboard; false where the browser does not allow it. */
export async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** Hands a file to the browser to keep. */
export function download(name: string, content: BlobPart): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content]));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** What went wrong, if something did. */
export async function loadExamples(): Promise<string | null> {
  const answer = await getExamples();
  if (!answer.ok) return answer.error;
  examples.value = answer.value.examples;
  return null;
}

/** Without them there is nothing to choose, and a run has the workers' own versions. */
export async function loadToolchains(): Promise<void> {
  const answer = await getToolchains();
  if (!answer.ok) return;
  toolchains.value = answer.value.toolchains;
  extras.value = answer.value.extras;
}
