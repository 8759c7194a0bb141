/** The picture of the run at one's own seat, which whoever leads sees on the wall. */
import { effect } from "@preact/signals";
import { getRun } from "../net/api";
import { you } from "./room/attending";

// Drawn when the page has nothing more urgent to do.
const PAUSE_MS = 1000;

/** Draws it whenever the run at one's seat is done and has none, wherever on the page it was asked for
 * and whatever is shown by now, until the returned function is called. */
export function picture(): () => void {
  let drawn = "";
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = effect(() => {
    const at = you.value?.run;
    if (at?.id === drawn) return;
    clearTimeout(timer);
    if (!at || at.pictured || at.state !== "done") return;
    timer = setTimeout(() => {
      drawn = at.id;
      void drawOf(at.id);
    }, PAUSE_MS);
  });
  return () => {
    clearTimeout(timer);
    end();
  };
}

/** Whose run it is not cannot, and the wall has no picture of it. */
async function drawOf(id: string): Promise<void> {
  const answer = await getRun(id);
  if (!answer.ok || !answer.value.mine) return;
  const made = await import("../share/outputs").catch(() => null);
  await made?.draw(id, answer.value.report);
}
