/** What there is to look at in an example: chosen once it has been run, and again by a press. */
import { batch, effect, untracked } from "@preact/signals";
import { isInside } from "../lib/compilers";
import type { Sight } from "../lib/notes";
import { chooseStage, selectSourceLine } from "./choosing";
import { isOver } from "../net/live";
import type { RunView } from "./runview";

/** Chooses the line and the stage, and brings the pane to the front. */
export function look(view: RunView, sight: Sight): void {
  choose(view, sight);
  view.navigation.show(sight.pane);
}

/** Chooses them when the run that is shown is done, if its person has chosen nothing by then. */
export function lookWhenDone(view: RunView, sight: Sight): void {
  const id = view.run.peek()?.id;
  let isLeft = false;
  // What depends on no signal any more is called no more.
  effect(() => {
    if (isLeft) return;
    const run = view.run.value;
    isLeft = run?.id !== id || isOver(run!.state);
    if (run?.id === id && run!.state === "done") untracked(() => chooseFirst(view, sight));
  });
}

function chooseFirst(view: RunView, sight: Sight): void {
  const { nodes, values } = view.selection.peek();
  if (nodes.size + values.size === 0 && view.chosenStage.peek() === null) choose(view, sight);
}

function choose(view: RunView, { stage, line }: Sight): void {
  batch(() => {
    if (line !== null) selectSourceLine(view, line, null, "");
    const index = view.stages.value.findIndex(
      (each) => each.name === stage && each.changed && !isInside(each),
    );
    if (index >= 0) chooseStage(view, index);
  });
}
