/** Runs what is written when nothing was written for a moment, for who wants that. */
import { effect } from "@preact/signals";
import { runsOnPause } from "./preferences";
import { start } from "./running";
import type { RunView } from "./runview";

const PAUSE_MS = 1200;

const followed = new WeakSet<RunView>();

/** From now on, as long as it is wanted; what was there before is no change. */
export function runOnPause(view: RunView): void {
  if (followed.has(view)) return;
  followed.add(view);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isFirst = true;
  effect(() => {
    const isBlank = view.written.value.trim() === "";
    clearTimeout(timer);
    if (!isFirst && !isBlank) timer = setTimeout(() => runIfChanged(view), PAUSE_MS);
    isFirst = false;
  });
}

function runIfChanged(view: RunView): void {
  const isNew = view.run.value === null || view.edited.value;
  // A text that came from elsewhere was not written by who sits here.
  const isWriting = document.activeElement?.closest(".cm-content") != null;
  if (runsOnPause.value && isNew && isWriting) void start(view, true);
}
