/** The search in a text: how many there are, and which one it is at. */
import {
  closeSearchPanel,
  findNext,
  findPrevious,
  getSearchQuery,
  search,
  SearchQuery,
  setSearchQuery,
} from "@codemirror/search";
import type { EditorState, Extension } from "@codemirror/state";
import type { EditorView, Panel } from "@codemirror/view";

/** More are not counted: nobody goes through them, and a text may have a million. */
const MOST = 5000;

/** "3 of 17", as the selection stands. */
export function counted(state: EditorState): string {
  const query = getSearchQuery(state);
  if (query.search === "" || !query.valid) return "";
  const { from, to } = state.selection.main;
  let [total, at] = [0, 0];
  const found = query.getCursor(state);
  for (let next = found.next(); !next.done && total < MOST; next = found.next()) {
    total += 1;
    if (next.value.from === from && next.value.to === to) at = total;
  }
  if (total === 0) return "none";
  const all = total === MOST ? `${MOST}+` : String(total);
  return at > 0 ? `${at} of ${all}` : all;
}

export const searching: Extension = search({ top: true, createPanel: panel });

function panel(view: EditorView): Panel {
  const dom = document.createElement("div");
  dom.className = "text-search";
  const input = document.createElement("input");
  input.setAttribute("main-field", "true");
  input.setAttribute("aria-label", "Search in the text");
  input.placeholder = "Search";
  input.value = getSearchQuery(view.state).search;
  const count = document.createElement("span");
  count.className = "number faint";
  count.setAttribute("role", "status");
  const button = (text: string, label: string, act: () => void) => {
    const made = document.createElement("button");
    made.className = "quiet";
    made.textContent = text;
    made.setAttribute("aria-label", label);
    made.addEventListener("click", act);
    return made;
  };
  input.addEventListener("input", () =>
    view.dispatch({
      effects: setSearchQuery.of(new SearchQuery({ search: input.value, literal: true })),
    }),
  );
  dom.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      closeSearchPanel(view);
      view.focus();
    } else if (event.key === "Enter") (event.shiftKey ? findPrevious : findNext)(view);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  dom.append(
    input,
    count,
    button("↑", "Previous match", () => findPrevious(view)),
    button("↓", "Next match", () => findNext(view)),
    button("×", "Close the search", () => (closeSearchPanel(view), view.focus())),
  );
  const update = () => (count.textContent = counted(view.state));
  return { dom, top: true, mount: () => (input.select(), update()), update };
}
