/** The runs of a deck's blocks: each has a view of its own, which stays while other pages are shown; a
 * reload brings back what was run, and what was written. */
import { effect } from "@preact/signals";
import { readView } from "../../lib/urlstate";
import { NOWHERE } from "../../store/address";
import { read, write } from "../../store/storage";
import { open } from "../../store/running";
import { createRunView, type RunView } from "../../store/runview";

const KEPT = "fuselab.deck";
const MOST = 60;

const views = new Map<string, RunView>();

/** What a tab keeps of its blocks, by what they are: the run, the text that was written. */
type Kept = Record<string, string>;

/** The view of the block `name`, which shows what the fragment of `place` says. */
export function viewOf(name: string, sign: string, place = ""): RunView {
  const found = views.get(name) ?? createRunView(addressOf(place), sign, true);
  views.set(name, found);
  return found;
}

const addressOf = (place: string) => ({
  ...NOWHERE,
  view: () => readView(place.replace(/^[^#]*/, "")),
});

const opening = new WeakMap<RunView, Promise<void>>();

/** Asks for a run once, whichever of the blocks that show it asks first. */
export function opened(view: RunView, open: () => Promise<void>): Promise<void> {
  const coming = opening.get(view) ?? open().finally(() => opening.delete(view));
  opening.set(view, coming);
  return coming;
}

/** Opens a run after whatever is on its way to the view. */
export const openNext = (view: RunView, run: string): Promise<void> =>
  opened(view, async () => {}).then(() => open(view, run));

/** Another deck has other blocks. */
export function forgetViews(): void {
  for (const view of views.values()) view.unfollow();
  views.clear();
}

export const storedText = (name: string): string | null => all()[name] ?? null;

/** Keeps a text under a name; null: no more. */
export function keep(name: string, text: string | null): void {
  const { [name]: _before, ...others } = all();
  const entries = Object.entries(others).slice(1 - MOST);
  const now: Kept = Object.fromEntries(text === null ? entries : [...entries, [name, text]]);
  write("sessionStorage", KEPT, JSON.stringify(now));
}

/** Who leaves takes what they wrote along: the next at this machine finds nothing of it. */
export const forgetStored = (): void => write("sessionStorage", KEPT, null);

const all = (): Kept => JSON.parse(read("sessionStorage", KEPT) ?? "{}") as Kept;

/** Keeps which run the block shows. */
export function keepRun(name: string, view: RunView): () => void {
  return effect(() => {
    const id = view.run.value?.id;
    if (id !== undefined) keep(name, id);
  });
}
