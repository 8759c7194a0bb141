/** How far down a text is scrolled, by its lines: as far on a page of any width. */
import { EditorView } from "@codemirror/view";

/** The text that is shown in an element, and what scrolls it; null where none is. */
export function textIn(parent: HTMLElement): { view: EditorView; scroller: HTMLElement } | null {
  const all = [...parent.querySelectorAll<HTMLElement>(".cm-editor")];
  const shown = all.findLast((editor) => editor.clientHeight > 0);
  const view = shown && EditorView.findFromDOM(shown);
  if (!view) return null;
  // Two columns are scrolled as one.
  return { view, scroller: shown.closest<HTMLElement>(".text-columns") ?? view.scrollDOM };
}

/** Where the text begins, from the top of what is in sight; above it where it is scrolled. */
const originOf = (view: EditorView, scroller: HTMLElement): number =>
  view.documentTop - scroller.getBoundingClientRect().top;

/** The first line in sight, from 1. */
export function topLine(view: EditorView, scroller: HTMLElement): number {
  const block = view.lineBlockAtHeight(Math.max(0, -originOf(view, scroller)) + 1);
  return view.state.doc.lineAt(block.from).number;
}

/** Brings a line to the top, or the last below it that can be there. */
export function toTop(view: EditorView, scroller: HTMLElement, line: number): void {
  const { doc } = view.state;
  const { top } = view.lineBlockAt(doc.line(Math.min(line, doc.lines)).from);
  scroller.scrollTop += originOf(view, scroller) + top;
}
