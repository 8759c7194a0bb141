/** An extension whose code is fetched when a text wants it: the text is there without it meanwhile. */
import { Compartment, type Extension } from "@codemirror/state";
import { showPanel, ViewPlugin, type EditorView, type Panel } from "@codemirror/view";

/** Nothing at first, and what `load` gives once that is here, which `arrived` is told. A text that has to
 * do without it says so: without `what`, as a reader knows it. */
export function awaited(
  what: string,
  load: () => Promise<Extension>,
  arrived: () => void = () => {},
): Extension {
  const place = new Compartment();
  const ask = async (view: EditorView, isWanted: () => boolean) => {
    const content = await load().catch(() => null);
    if (!isWanted()) return;
    const again = () => void ask(view, isWanted);
    view.dispatch({ effects: place.reconfigure(content ?? without(what, again)) });
    if (content) arrived();
  };
  const asking = ViewPlugin.define((view) => {
    let isWanted = true;
    void ask(view, () => isWanted);
    return { destroy: () => void (isWanted = false) };
  });
  return [asking, place.of([])];
}

/** A line above the text. */
function without(what: string, again: () => void): Extension {
  return showPanel.of((): Panel => {
    const dom = document.createElement("p");
    dom.className = "cm-plain";
    dom.setAttribute("role", "alert");
    dom.textContent = `The page could not fetch ${what}. `;
    const button = document.createElement("button");
    button.textContent = "Retry";
    button.onclick = again;
    dom.append(button);
    return { dom, top: true };
  });
}
