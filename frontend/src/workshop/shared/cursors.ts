/** The cursors and selections of the others who write, each in its seat's hue and with its name, which
 * goes when the cursor has stood still for a moment: it lies over the text. */
import {
  RangeSet,
  StateEffect,
  type ChangeDesc,
  type Extension,
  type Range,
} from "@codemirror/state";
import {
  Decoration,
  EditorView,
  ViewPlugin,
  WidgetType,
  type DecorationSet,
  type ViewUpdate,
} from "@codemirror/view";
import {
  createAbsolutePositionFromRelativePosition,
  createRelativePositionFromJSON,
  createRelativePositionFromTypeIndex,
} from "yjs";
import type { Copy, Presence } from "./copy";

const HUES = 8;
// In which a name is read.
const NAMED_MS = 3000;
const moved = StateEffect.define<null>();

export const cursors = (copy: Copy): Extension => [
  ViewPlugin.define((view) => new Cursors(view, copy), { decorations: (own) => own.decorations }),
  look,
];

// A name's, with its borders.
const HEIGHT_PX = 16;

/** Each name lies where there is room in what is seen of the text: above its cursor, or below in the first
 * line; and on that side on which there is more. */
const WITHIN = {
  key: "names",
  read: ({ dom, scrollDOM }: EditorView) => {
    const seen = scrollDOM.getBoundingClientRect();
    return [...dom.querySelectorAll(".cm-their-cursor")].map((cursor) => {
      const { left, top } = cursor.getBoundingClientRect();
      const isLate = left > (seen.left + seen.right) / 2;
      return { cursor, isLate, isTop: top - seen.top < HEIGHT_PX };
    });
  },
  write: (cursors: { cursor: Element; isLate: boolean; isTop: boolean }[]) =>
    cursors.forEach(({ cursor, isLate, isTop }) => {
      cursor.classList.toggle("late", isLate);
      cursor.classList.toggle("below", isTop);
    }),
};

/** Where somebody's cursor stands in the text, and how often it was moved. */
interface Stand {
  at: number;
  moves: number;
}

class Cursors {
  decorations: DecorationSet = RangeSet.empty;
  /** Of each client that is drawn, and of those that were drawn before. */
  private stands = { now: new Map<number, Stand>(), before: new Map<number, Stand>() };

  constructor(
    private readonly view: EditorView,
    private readonly copy: Copy,
  ) {
    copy.awareness.on("change", this.changed);
  }

  update(update: ViewUpdate): void {
    const { selectionSet, focusChanged, docChanged, transactions } = update;
    if ((selectionSet || focusChanged || docChanged) && update.view.hasFocus) this.point(update);
    const isMoved = transactions.some(({ effects }) => effects.some((each) => each.is(moved)));
    if (isMoved || docChanged) this.decorations = this.drawn(update.changes);
    if (isMoved || docChanged || update.geometryChanged) this.view.requestMeasure(WITHIN);
  }

  destroy(): void {
    this.copy.awareness.off("change", this.changed);
  }

  /** Draws them anew, after the view has taken what it is just taking. */
  private readonly changed = (_: object, origin: unknown) => {
    if (origin !== "local") queueMicrotask(() => this.view.dispatch({ effects: moved.of(null) }));
  };

  /** Says where one's own cursor is. */
  private point({ state }: ViewUpdate): void {
    const { anchor, head } = state.selection.main;
    const at = (index: number) => createRelativePositionFromTypeIndex(this.copy.text, index);
    this.copy.awareness.setLocalStateField("cursor", { anchor: at(anchor), head: at(head) });
  }

  private drawn(changes: ChangeDesc): DecorationSet {
    const { awareness, doc } = this.copy;
    this.stands = { now: new Map(), before: this.stands.now };
    const others = [...awareness.getStates()].filter(([client]) => client !== doc.clientID);
    return Decoration.set(
      others.flatMap(([client, state]) => this.drawnOf(client, state as Presence, changes)),
      true,
    );
  }

  /** How often a cursor was moved that is at a place now. What others write before it only shifts it. */
  private movesOf(client: number, at: number, changes: ChangeDesc): number {
    const before = this.stands.before.get(client);
    const isStill = before !== undefined && changes.mapPos(before.at, -1) === at;
    const moves = (before?.moves ?? 0) + (isStill ? 0 : 1);
    this.stands.now.set(client, { at, moves });
    return moves;
  }

  private drawnOf(
    client: number,
    { user, cursor }: Presence,
    changes: ChangeDesc,
  ): Range<Decoration>[] {
    const anchor = this.placeOf(cursor?.anchor);
    const head = this.placeOf(cursor?.head);
    if (!user || anchor === null || head === null) return [];
    const hue = `hue-${user.seat % HUES}`;
    const moves = this.movesOf(client, head, changes);
    const widget = new Name(user.name, hue, moves);
    const caret = Decoration.widget({ widget, side: head > anchor ? -1 : 1 }).range(head);
    if (anchor === head) return [caret];
    const marked = Decoration.mark({ class: `cm-their-selection ${hue}` });
    return [marked.range(Math.min(anchor, head), Math.max(anchor, head)), caret];
  }

  /** Where a position is now; null if there is no such one. */
  private placeOf(position: unknown): number | null {
    if (!position) return null;
    try {
      const relative = createRelativePositionFromJSON(position);
      const found = createAbsolutePositionFromRelativePosition(relative, this.copy.doc);
      return found && Math.min(found.index, this.view.state.doc.length);
    } catch {
      return null;
    }
  }
}

/** A cursor with a name. Who does not see it is told beside the text who writes. */
class Name extends WidgetType {
  constructor(
    private readonly name: string,
    private readonly hue: string,
    private readonly moves: number,
  ) {
    super();
  }

  override eq({ name, hue, moves }: Name): boolean {
    return name === this.name && hue === this.hue && moves === this.moves;
  }

  override toDOM(): HTMLElement {
    const cursor = document.createElement("span");
    cursor.className = `cm-their-cursor ${this.hue}`;
    cursor.setAttribute("aria-hidden", "true");
    const name = document.createElement("span");
    name.className = "cm-their-name";
    name.textContent = this.name;
    cursor.append(name);
    // By a clock and not an animation: whoever wants no motion reads the text below it as well.
    setTimeout(() => cursor.classList.add("still"), NAMED_MS);
    return cursor;
  }

  /** A press on it is one on the text. */
  override ignoreEvent(): boolean {
    return false;
  }
}

const look = EditorView.baseTheme({
  ".cm-their-selection": {
    backgroundColor: "color-mix(in srgb, var(--hue) 25%, transparent)",
  },
  ".cm-their-cursor": {
    position: "relative",
    borderLeft: "2px solid var(--hue)",
    marginLeft: "-1px",
    marginRight: "-1px",
  },
  ".cm-their-name": {
    position: "absolute",
    bottom: "100%",
    left: "-2px",
    zIndex: "1",
    padding: "0 4px",
    border: "1px solid var(--hue)",
    borderLeftWidth: "4px",
    borderRadius: "0 4px 4px 0",
    backgroundColor: "var(--raised)",
    color: "var(--ink)",
    fontFamily: "var(--text)",
    fontSize: "11px",
    lineHeight: "14px",
    maxWidth: "160px",
    overflow: "hidden",
    textOverflow: "ellipsis",
    whiteSpace: "nowrap",
    pointerEvents: "none",
  },
  ".late > .cm-their-name": {
    left: "auto",
    right: "-2px",
    borderLeftWidth: "1px",
    borderRightWidth: "4px",
    borderRadius: "4px 0 0 4px",
  },
  // A line of two pixels is not met by a mouse.
  ".cm-their-cursor::after": { content: "''", position: "absolute", inset: "0 -4px" },
  ".still:not(:hover) > .cm-their-name": { visibility: "hidden" },
  ".below > .cm-their-name": { bottom: "auto", top: "100%" },
});
