/** Lines that are hidden behind a button that says how many they are, until it is pressed or one of
 * them is asked for; above lines that are shown stands one that hides them again. */
import { StateEffect, StateField, type EditorState, type Extension } from "@codemirror/state";
import { Decoration, EditorView, WidgetType, type DecorationSet } from "@codemirror/view";
import type { Folded, Sheet } from "./sheet";

/** Shows what is folded at a row, from 0, or hides it again. */
export const turn = StateEffect.define<{ row: number; open: boolean }>();

/** Whether what is folded at a row, from 0, is to be shown. */
type Turn = (row: number, open: boolean) => void;

class Button extends WidgetType {
  constructor(
    private readonly fold: Folded,
    private readonly isOpen: boolean,
    private readonly onTurn: Turn,
  ) {
    super();
  }

  override eq(other: Button): boolean {
    return this.fold === other.fold && this.isOpen === other.isOpen;
  }

  override get estimatedHeight(): number {
    return 24;
  }

  override toDOM(): HTMLElement {
    const { first, last, what } = this.fold;
    const told = `${last - first + 1} ${what}`;
    const button = document.createElement("button");
    button.className = this.isOpen ? "cm-openLines" : "cm-collapsedLines";
    button.textContent = this.isOpen ? `hide ${told}` : `… ${told} …`;
    button.setAttribute("aria-expanded", String(this.isOpen));
    button.dataset.row = String(first);
    button.addEventListener("click", (event) => {
      event.stopPropagation();
      const text = button.closest(".cm-content");
      this.onTurn(first, !this.isOpen);
      // The button that stands there now has the focus that this one had.
      const now = text?.querySelector<HTMLElement>(`button[data-row="${first}"]`);
      now?.focus({ preventScroll: true });
    });
    return button;
  }

  override ignoreEvent(): boolean {
    return true;
  }
}

interface State {
  folds: readonly Folded[];
  open: ReadonlySet<Folded>;
  onTurn: Turn;
}

const state = StateField.define<State>({
  create: () => ({ folds: [], open: new Set(), onTurn: () => {} }),
  update(value, { effects }) {
    const turned = effects.filter((effect) => effect.is(turn)).map((effect) => effect.value);
    if (turned.length === 0) return value;
    const open = new Set(value.open);
    for (const { row, open: isShown } of turned) {
      const fold = foldAt(value, row);
      if (fold) open[isShown ? "add" : "delete"](fold);
    }
    return { ...value, open };
  },
  provide: (field) => EditorView.decorations.compute([field], drawn),
});

/** A text to read never changes, so that rows stay where they are. */
function drawn(of: EditorState): DecorationSet {
  const { doc } = of;
  const { folds, open, onTurn } = of.field(state);
  return Decoration.set(
    folds.map((fold) => {
      const isOpen = open.has(fold);
      const widget = new Button(fold, isOpen, onTurn);
      const { from } = doc.line(fold.first + 1);
      if (isOpen) return Decoration.widget({ widget, block: true, side: -1 }).range(from);
      return Decoration.replace({ widget, block: true }).range(from, doc.line(fold.last + 1).to);
    }),
  );
}

const foldAt = ({ folds }: State, row: number): Folded | undefined =>
  folds.find(({ first, last }) => first <= row && row <= last);

/** Folds what the sheet says; `onTurn` is told the first row of a fold whose button was pressed. */
export const folding = ({ folds }: Sheet, onTurn: Turn): Extension =>
  folds.length === 0 ? [] : state.init(() => ({ folds, open: new Set(), onTurn }));

/** Whether a row, from 0, is hidden. */
export function isFolded(of: EditorState, row: number): boolean {
  const known = of.field(state, false);
  const fold = known && foldAt(known, row);
  return fold !== undefined && !known!.open.has(fold);
}
