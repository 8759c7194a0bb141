/** What is typed over a selection is put in its place here: a browser that does so itself gives the new
 * text the look of the old one, by a style attribute, which the page's policy forbids. */
import type { Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";

export const typedOver: Extension = EditorView.domEventHandlers({
  beforeinput({ inputType, data, isComposing }, view) {
    const { state } = view;
    const { empty, from, to } = state.selection.main;
    const isTyped = inputType === "insertText" && data !== null && !isComposing;
    if (!isTyped || empty || state.readOnly) return false;
    const insert = () =>
      view.state.update(view.state.replaceSelection(data), {
        scrollIntoView: true,
        userEvent: "input.type",
      });
    const handlers = state.facet(EditorView.inputHandler);
    if (!handlers.some((handle) => handle(view, from, to, data, insert))) view.dispatch(insert());
    return true;
  },
});
