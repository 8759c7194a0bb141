/** What every editor of a snippet does with its run, whoever writes in it. */
import { lineHues, litLines, litSpots } from "../lib/linemap";
import { askWhy, selectSourceLine } from "../store/choosing";
import { notify } from "../store/page";
import { start } from "../store/running";
import type { RunView } from "../store/runview";
import type { Editor, Reactions } from "../text/editor";

/** The reactions that are the same in all of them. */
export const reactionsOf = (
  view: RunView,
  onFormat: () => void,
): Pick<Reactions, "onRun" | "onLine" | "onWhy" | "onFormat"> => ({
  onRun: () => void start(view),
  onLine: (line, { column, whole }) => selectSourceLine(view, line, whole ? null : column),
  onWhy: (line) => askWhy(view, line),
  onFormat,
});

/** Shows in the editor what the shown run has to say of its lines. */
export function mark(view: RunView, editor: Editor | null): void {
  const selection = view.selection.value;
  const map = view.sourceLines.value;
  markLines(view, editor);
  editor?.setReasons(view.whyMarks.value);
  editor?.link({
    lit: litLines(map, selection),
    hues: lineHues(map, view.huesOf("")),
    spots: map.length > 0 ? litSpots(view.nodes.value, selection) : [],
  });
  if (selection.origin !== "source") editor?.reveal();
}

/** Shows in the editor that the shown run is not of its text, but of the one beside it. */
export function unmark(view: RunView, editor: Editor | null): void {
  markLines(view, editor);
  editor?.setReasons(new Map());
  editor?.link({ lit: [], hues: [], spots: [] });
}

/** What is wrong stands in the text that was run, also while one writes in the other. */
function markLines(view: RunView, editor: Editor | null): void {
  editor?.setMarks(view.editorMarks.value, view.run.value?.source ?? "");
}

export const format = async (editor: Editor): Promise<void> => tell(await editor.format());

/** Says what went wrong, if something did. */
export const tell = (problem: string | null): void => {
  if (problem !== null) notify(problem);
};
