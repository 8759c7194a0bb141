/** Going to a pane or a line: the shell and the editor say how, everybody else asks here. */
import { signal } from "@preact/signals";

/** What panes that stand beside each other can do. */
export interface DockActions {
  /** Brings a pane to the front. */
  show: (pane: string) => void;
  /** Puts all panes back to their first places. */
  reset: () => void;
  /** Gives a pane the room of all, or its own again. */
  maximise: (pane: string) => void;
  /** Gives a pane so much width in px, or as much as half the dock; gives it back what it had when the
   * returned function is called. */
  widen: (pane: string, width: number) => () => void;
  /** Puts one more of a pane beside it. */
  repeat: (pane: string) => void;
  /** Takes one more of a pane away. */
  close: (pane: string) => void;
}

/** What others ask of the editor. */
export interface EditorActions {
  goTo: (line: number) => void;
  /** Formats its text. */
  format: () => void;
}

export class Navigation {
  /** The pane that the phone's tabs show; a dock shows many and does not look here. */
  readonly active = signal("source");

  /** The pane of a dock that was gone to last. */
  readonly front = signal<string | null>(null);

  /** Null where panes are tabs. */
  dock: DockActions | null = null;

  private editor: EditorActions | null = null;

  /** The editor says what can be done with it. */
  provideEditor(editor: EditorActions | null): void {
    this.editor = editor;
  }

  format(): void {
    this.show("source");
    this.editor?.format();
  }

  show(pane: string): void {
    this.active.value = pane;
    this.dock?.show(pane);
  }

  goToLine(line: number): void {
    this.show("source");
    // The tab's content appears with the next drawing.
    requestAnimationFrame(() => this.editor?.goTo(line));
  }

  resetLayout(): void {
    this.dock?.reset();
  }
}
