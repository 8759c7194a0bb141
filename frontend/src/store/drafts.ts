/**
 * What was written and not run: each tab's own, by the run beside which it was written. What is written
 * over the front page's example is the front page's, which has no example once there is a draft.
 *
 * A tab that has none yet begins with what was written last in any.
 */
import { effect } from "@preact/signals";
import { read, write } from "./storage";
import type { RunView } from "./runview";

const HERE = "fuselab.drafts";
const LAST = "fuselab.draft";
/** The place of what stands beside no run. */
const FRONT = "";
const MOST = 30;
const PAUSE_MS = 400;

/** The draft beside the run of an id, or beside none. */
export function draftOf(run: string | null): string | null {
  const kept = drafts()[placeOf(run)];
  // Blank beside no run is none: the front page has an example for who has written nothing.
  return run === null ? kept || read("localStorage", LAST) : (kept ?? null);
}

/** Forgets what was written beside a run: it is another run's text now. */
export const dropDraft = (run: string | null): void => keep(placeOf(run), null);

/** Keeps what is written in `view`, from now on. */
export function keepDrafts({ source, run, front }: RunView): void {
  let pending: readonly [place: string, text: string | null] | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  // Until the run of the address is here the editor is blank, which nobody has written.
  let isOpened = false;
  const flush = () => {
    if (pending) keep(...pending);
    pending = null;
  };
  effect(() => {
    isOpened ||= run.value !== null || source.value !== "";
    if (!isOpened) return;
    const place = placeOf(front.value ? null : (run.value?.id ?? null));
    // Somebody else's run is not this browser's draft until it is edited here.
    const text = run.value?.source === source.value ? null : source.value;
    if (pending && pending[0] !== place) flush();
    pending = [place, text];
    clearTimeout(timer);
    timer = setTimeout(flush, PAUSE_MS);
  });
  addEventListener("pagehide", flush);
}

const placeOf = (run: string | null): string => run ?? FRONT;

function keep(place: string, text: string | null): void {
  const { [place]: before, ...others } = drafts();
  const entries = Object.entries(others).slice(1 - MOST);
  const kept = text === null ? entries : [...entries, [place, text]];
  write("sessionStorage", HERE, JSON.stringify(Object.fromEntries(kept)));
  // What was taken back on the front page would come again as what was written last.
  const isTakenBack = place === FRONT && before === read("localStorage", LAST);
  if (text !== null || isTakenBack) write("localStorage", LAST, text);
}

function drafts(): Record<string, string> {
  return JSON.parse(read("sessionStorage", HERE) ?? "{}") as Record<string, string>;
}
