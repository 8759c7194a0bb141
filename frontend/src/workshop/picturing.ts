/** The picture of the run at one's own seat, which whoever leads sees on the wall. */
import { effect } from "@preact/signals";
import type { RunView } from "../store/runview";
import { you } from "./attending";

// Drawn when the page has nothing more urgent to do.
const PAUSE_MS = 1000;

/** Draws it whenever a run of one's own is done and has none, until the returned function is called. */
export function picture(view: RunView): () => void {
  let drawn = "";
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = effect(() => {
    const { id } = view.run.value ?? { id: "" };
    const at = you.value?.run;
    const isDone = view.run.value?.state === "done" && at?.id === id && at.state === "done";
    clearTimeout(timer);
    // Whose run it is not cannot, and the wall has no picture of it.
    if (!isDone || at.pictured || id === drawn || id !== view.asked.value) return;
    timer = setTimeout(() => {
      drawn = id;
      void import("../share/made").then(
        ({ draw }) => draw(view),
        () => {},
      );
    }, PAUSE_MS);
  });
  return () => {
    clearTimeout(timer);
    end();
  };
}
