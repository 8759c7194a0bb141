/** An example of the gallery is opened: its text, and what to look at and to try. */
import { batch } from "@preact/signals";
import { lessonOf, type Example } from "../lib/gallery";
import { DEFAULT_OPTIONS } from "../wire";
import { OF_A_TEXT } from "./leftover";
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
  void start(view);
}

/** The example of the front page goes, with its results and options: what comes next is one's own, and
 * so are the options that a person has set. */
export function leaveFront(view: RunView): void {
  const given: Readonly<Record<string, unknown>> = { ...view.run.value?.options, seed: null };
  const isSet = ([name, value]: [string, unknown]) =>
    JSON.stringify(value) !== JSON.stringify(given[name]);
  const own = Object.fromEntries(Object.entries(view.options.value).filter(isSet));
  clear(view);
  view.options.value = { ...DEFAULT_OPTIONS, ...own, ...OF_A_TEXT };
}
