/** What is lit and in sight stays in sight when its editor gets lower: below it come notes, problems and
 * the options of a run, some of them later than the text. */
import type { Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { isLitInSight, reveal } from "./links";

export function staying(): Extension {
  let height = 0;
  return EditorView.updateListener.of(({ view, geometryChanged }) => {
    const { scrollDOM } = view;
    if (!geometryChanged || scrollDOM.clientHeight === height) return;
    const before = height;
    height = scrollDOM.clientHeight;
    if (height < before && isLitInSight(view, scrollDOM, before))
      requestAnimationFrame(() => reveal(view, scrollDOM));
  });
}
