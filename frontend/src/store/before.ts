/** The run that the shown one is held against: what it was before something was decided otherwise. */
import { getRun } from "../net/api";
import type { RunView } from "./runview";

/** Fetches the run of an id, where the shown one is still the same when it comes. */
export async function holdAgainst(view: RunView, id: string): Promise<void> {
  const shown = view.run.value?.id;
  const answer = await getRun(id);
  if (answer.ok && view.run.value?.id === shown)
    view.before.value = { id, report: answer.value.report };
}
