/** Texts of one's own in whose place another was put: each can be put back, the newest first. */
import { signal } from "@preact/signals";
import { leaveFront } from "../../store/examples";
import { remember } from "../../store/history";
import { read, write } from "../../store/storage";
import { edit } from "../../store/running";
import type { RunView } from "../../store/runview";

const KEPT = "fuselab.aside";
const MOST = 20;

/** The newest last: of all tabs that are in the room, for they are one seat. */
export const aside = signal<readonly string[]>([]);
/** Under which name the browser has those of the room. */
let place = KEPT;
/** What was put into the editor last: nobody's own until it is changed. */
let given: string | null = null;

/** Those of a room, as the browser has them. */
export function recallAside(code: string): void {
  place = `${KEPT}.${code}`;
  recall();
}

/** Hears of what another tab puts aside or back, until the returned function is called. */
export function watchAside(): () => void {
  const hear = ({ key }: StorageEvent) => key === place && recall();
  window.addEventListener("storage", hear);
  return () => window.removeEventListener("storage", hear);
}

function recall(): void {
  aside.value = JSON.parse(read("localStorage", place) ?? "[]") as string[];
}

/** Who is in the workshop no more has no way to put them back here: the history has them. */
export function forgetAside(): void {
  for (const text of aside.value) remember(text);
  keep([]);
}

/** What somebody wrote is kept before another text takes its place; the example of the front page goes,
 * and what that was run with is not asked for what comes. */
export function makeRoom(view: RunView, next: string): void {
  if (view.source.value !== next) setAside(view);
  if (view.front.value) leaveFront(view);
  given = next;
}

/** Another run is about to be shown: what was written beside this one and not run is kept. */
export function leaveRun(view: RunView): void {
  if (holdsOwn(view)) setAside(view);
}

/** Whether what stands in one's own editor was written there and not run. */
export const holdsOwn = (view: RunView): boolean =>
  view.source.value !== view.run.value?.source && isOwn(view);

function isOwn({ front, edited, source }: RunView): boolean {
  const isMade = !front.value || edited.value;
  return isMade && source.value !== given && source.value.trim() !== "";
}

function setAside(view: RunView): void {
  if (isOwn(view)) add(view.source.value);
}

/** The oldest make room, and are in the history then. */
function add(text: string): void {
  const all = [...others(text), text];
  for (const old of all.slice(0, -MOST)) remember(old);
  keep(all.slice(-MOST));
}

/** Puts the newest text back in the place of what stands there, which the history keeps. */
export function putBack(view: RunView): void {
  const last = aside.value.at(-1);
  if (last === undefined) return;
  keep(others(last));
  edit(view, last);
}

const others = (text: string) => aside.value.filter((other) => other !== text);

function keep(texts: readonly string[]): void {
  aside.value = texts;
  write("localStorage", place, texts.length > 0 ? JSON.stringify(texts) : null);
}
