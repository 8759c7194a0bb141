/** The leader's run in a snippet's block, in a view of its own: one's own run stays below it. */
import { useEffect } from "preact/hooks";
import type { RunView } from "../../store/runview";
import { ledRun } from "./led";
import { openNext, viewOf } from "./lives";

/** Null where one's own run, of the view `own`, is what is seen at `place`. */
export function useLed(own: RunView, place: string, name: string, title: string): RunView | null {
  const run = ledRun(place, own.run.value?.id);
  const view = run === null ? null : viewOf(`led ${name}`, title);
  useEffect(() => {
    if (run !== null && view !== null && view.run.peek()?.id !== run) void openNext(view, run);
  }, [run]);
  return view;
}
