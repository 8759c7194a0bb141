/** Going to a pane or a line: the shell and the editor say how, everybody else asks here. */
import { signal } from "@preact/signals";

/** The pane that the phone's tabs show; a dock shows many and does not look here. */
export const activePane = signal("source");

let dockShow: ((pane: string) => void) | null = null;
let editorGo: ((line: number) => void) | null = null;
let layoutReset: (() => void) | null = null;

/** The dock says how a pane is brought to the front, and how panes go back to their places. */
export function provideDock(
  show: ((pane: string) => void) | null,
  reset: (() => void) | null,
): void {
  dockShow = show;
  layoutReset = reset;
}

/** The editor says how a line is gone to. */
export function provideEditor(go: ((line: number) => void) | null): void {
  editorGo = go;
}

export function showPane(pane: string): void {
  activePane.value = pane;
  dockShow?.(pane);
}

export function goToLine(line: number): void {
  showPane("source");
  // The tab's content appears with the next drawing.
  requestAnimationFrame(() => editorGo?.(line));
}

export function resetLayout(): void {
  layoutReset?.();
}
