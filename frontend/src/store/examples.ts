/** An example of the gallery is opened: its text, and what to look at and to try. */
import { batch } from "@preact/signals";
import { lessonOf, type Example } from "../lib/gallery";
import { DEFAULT_OPTIONS, type Options } from "../wire";
import { OF_A_TEXT } from "./leftover";
import { lookWhenDone } from "./lessons";
import { galleryAt } from "./page";
import { clear, edit, setOptions, start } from "./running";
import type { RunView } from "./runview";

/** Puts it in the editor. */
export function openExample(view: RunView, example: Example): void {
  batch(() => {
    if (view.front.value) leaveFront(view);
    edit(view, example.source);
    const insides = [...new Set([...view.options.value.insides, ...example.insides])];
    setOptions(view, { ...OF_A_TEXT, insides });
    view.notes.value = [lessonOf(example)];
    galleryAt.value = null;
  });
  view.navigation.show("source");
}

/** Puts it in the editor and runs it. */
export function runExample(view: RunView, example: Example): void {
  openExample(view, example);
  view.navigation.dock?.show(example.pane);
  // Where it was refused, what is shown is still the run of another text.
  void start(view).then(() => view.edited.peek() || lookWhenDone(view, example));
}

/** The example of the front page goes, with its results and options: what comes next is one's own, and
 * so are the options that a person has set. */
export function leaveFront(view: RunView): void {
  const own = ownOptions(view);
  clear(view);
  view.options.value = { ...own, ...OF_A_TEXT };
}

/** What a person has chosen: beside the front page's example only what they have set there. */
export function ownOptions({ front, options, run }: RunView): Options {
  if (!front.peek()) return options.peek();
  const given: Readonly<Record<string, unknown>> = { ...run.peek()?.options, seed: null };
  const isSet = ([name, value]: [string, unknown]) =>
    JSON.stringify(value) !== JSON.stringify(given[name]);
  const own = Object.fromEntries(Object.entries(options.peek()).filter(isSet));
  return { ...DEFAULT_OPTIONS, ...own };
}
