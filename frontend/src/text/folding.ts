/** Lines that are hidden behind a button that says how many they are, until it is pressed or one of
 * them is asked for. */
import { StateEffect, StateField, type EditorState, type Extension } from "@codemirror/state";
import { Decoration, EditorView, WidgetType, type DecorationSet } from "@codemirror/view";
import type { Sheet } from "./sheet";

/** Shows what is folded at the row, from 0. */
export const unfold = StateEffect.define<number>();

class Fold extends WidgetType {
  constructor(
    private readonly first: number,
    private readonly count: number,
    private readonly what: string,
    private readonly onOpen: (row: number) => void,
  ) {
    super();
  }

  override eq(other: Fold): boolean {
    return this.first === other.first && this.count === other.count;
  }

  override get estimatedHeight(): number {
    return 24;
  }

  override toDOM(): HTMLElement {
    const button = document.createElement("button");
    button.className = "cm-collapsedLines";
    button.textContent = `… ${this.count} ${this.what} …`;
    button.addEventListener("click", (event) => {
      event.stopPropagation();
      this.onOpen(this.first);
    });
    return button;
  }

  override ignoreEvent(): boolean {
    return true;
  }
}

const folds = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (value, { effects, changes, state }) => {
    const rows = effects.filter((effect) => effect.is(unfold)).map(({ value: row }) => row);
    const mapped = value.map(changes);
    if (rows.length === 0) return mapped;
    const places = rows.map((row) => state.doc.line(row + 1).from);
    return mapped.update({
      filter: (from, to) => !places.some((at) => from <= at && at <= to),
    });
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** Folds what the sheet says; `onOpen` is told the first row of a fold whose button was pressed. */
export function folding(sheet: Sheet, onOpen: (row: number) => void): Extension {
  if (sheet.folds.length === 0) return [];
  return folds.init(({ doc }) =>
    Decoration.set(
      sheet.folds.map(({ first, last, what }) =>
        Decoration.replace({
          widget: new Fold(first, last - first + 1, what, onOpen),
          block: true,
        }).range(doc.line(first + 1).from, doc.line(last + 1).to),
      ),
    ),
  );
}

/** Whether a row, from 0, is hidden. */
export function isFolded(state: EditorState, row: number): boolean {
  const { from } = state.doc.line(row + 1);
  let found = false;
  state.field(folds, false)?.between(from, from, () => void (found = true));
  return found;
}
