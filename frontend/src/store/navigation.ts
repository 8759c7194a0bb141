/** Going to a pane or a line: the shell and the editor say how, everybody else asks here. */
import { signal } from "@preact/signals";

export class Navigation {
  /** The pane that the phone's tabs show; a dock shows many and does not look here. */
  readonly active = signal("source");

  private dockShow: ((pane: string) => void) | null = null;
  private editorGo: ((line: number) => void) | null = null;
  private layoutReset: (() => void) | null = null;

  /** The dock says how a pane is brought to the front, and how panes go back to their places. */
  provideDock(show: ((pane: string) => void) | null, reset: (() => void) | null): void {
    this.dockShow = show;
    this.layoutReset = reset;
  }

  /** The editor says how a line is gone to. */
  provideEditor(go: ((line: number) => void) | null): void {
    this.editorGo = go;
  }

  show(pane: string): void {
    this.active.value = pane;
    this.dockShow?.(pane);
  }

  goToLine(line: number): void {
    this.show("source");
    // The tab's content appears with the next drawing.
    requestAnimationFrame(() => this.editorGo?.(line));
  }

  resetLayout(): void {
    this.layoutReset?.();
  }
}
