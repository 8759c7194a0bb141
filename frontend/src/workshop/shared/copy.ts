/** A copy of the shared text, as a CRDT, and where the cursors of those who write are in it. */
import { Awareness } from "y-protocols/awareness";
import { Doc, type Text } from "yjs";

/** As webapp/workshops/text/document.py calls it. */
const ROOT = "source";

export class Copy {
  readonly doc = new Doc();
  readonly text: Text = this.doc.getText(ROOT);
  readonly awareness = new Awareness(this.doc);

  destroy(): void {
    this.doc.destroy();
  }
}

/** Whose cursor it is, as the server says; "cursor" has two of Yjs' relative positions. */
export interface Presence {
  user?: { seat: number; name: string };
  cursor?: { anchor: unknown; head: unknown } | null;
}
