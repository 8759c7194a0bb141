/** Marks beside the lines at which something went otherwise than hoped for: a press asks why. */
import { StateEffect, StateField, type EditorState, type Extension } from "@codemirror/state";
import { gutter, GutterMarker } from "@codemirror/view";

/** For each 1-based line what there is to say of it, in a few words. */
export type Reasons = ReadonlyMap<number, string>;

export const setReasons = StateEffect.define<Reasons>();

const NONE: Reasons = new Map();

const reasons = StateField.define<Reasons>({
  create: () => NONE,
  update: (value, transaction) =>
    transaction.effects.findLast((effect) => effect.is(setReasons))?.value ??
    (transaction.docChanged ? NONE : value),
});

/** Whether a text has these marks already. */
export const hasReasons = (state: EditorState, wanted: Reasons): boolean => {
  const now = state.field(reasons);
  return now === wanted || now.size + wanted.size === 0;
};

class WhyMarker extends GutterMarker {
  constructor(private readonly text: string) {
    super();
  }

  override eq(other: WhyMarker): boolean {
    return this.text === other.text;
  }

  override toDOM(): Node {
    const mark = document.createElement("span");
    mark.className = "cm-why-mark";
    mark.title = `Why? ${this.text}`;
    mark.textContent = "?";
    return mark;
  }
}

/** Calls `onWhy` with the line whose mark was pressed. A screen reader, to which gutters are silent,
 * has the same in the list itself. */
export function asking(onWhy: (line: number) => void): Extension {
  return [
    reasons,
    gutter({
      class: "cm-why",
      lineMarker(view, block) {
        const { number } = view.state.doc.lineAt(block.from);
        const text = view.state.field(reasons).get(number);
        return text === undefined ? null : new WhyMarker(text);
      },
      lineMarkerChange: ({ startState, state }) =>
        startState.field(reasons) !== state.field(reasons),
      domEventHandlers: {
        mousedown(view, block) {
          const { number } = view.state.doc.lineAt(block.from);
          if (!view.state.field(reasons).has(number)) return false;
          onWhy(number);
          return true;
        },
      },
    }),
  ];
}
