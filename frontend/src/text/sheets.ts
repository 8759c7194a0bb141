/**
 * Sheets, those of large texts from a worker: to compare two versions of a large program takes longer
 * than somebody who types meanwhile should wait for a letter.
 */
import { sheetsOf, type Sheet, type Wanted } from "./sheet";

/** Characters that the page compares itself: a millisecond's work, and nothing flickers. */
const FEW = 8_000;

let worker: Worker | null = null;
const waiting: ((sheets: readonly Sheet[] | null) => void)[] = [];

/** Begins the worker where it will be wanted for texts of so many characters, which are on their way. */
export function makeReady(characters: number): void {
  if (characters > FEW) worker ??= begun();
}

/** The sheets to draw, or a promise of them. */
export function sheetsFor(wanted: Wanted): readonly Sheet[] | Promise<readonly Sheet[]> {
  const size = wanted.after.length + (wanted.before?.length ?? 0);
  if (size <= FEW) return sheetsOf(wanted);
  // Where the worker cannot be had, the page does without.
  return asked(wanted).then((sheets) => sheets ?? sheetsOf(wanted));
}

/** The worker answers in the order of the questions. */
function asked(wanted: Wanted): Promise<readonly Sheet[] | null> {
  worker ??= begun();
  worker.postMessage(wanted);
  return new Promise((resolve) => waiting.push(resolve));
}

function begun(): Worker {
  const made = new Worker(new URL("./sheet.worker.ts", import.meta.url), { type: "module" });
  made.onmessage = ({ data }: MessageEvent<readonly Sheet[]>) => waiting.shift()?.(data);
  made.onerror = () => {
    worker = null;
    for (const answer of waiting.splice(0)) answer(null);
  };
  return made;
}
