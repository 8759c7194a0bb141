/** Characters that are not seen, or that turn the direction of others, as marks with their names:
 * what a reviewer reads is then what Python runs. The library's own would be in the first script. */
import { RangeSetBuilder } from "@codemirror/state";
import { Decoration, ViewPlugin, WidgetType, type EditorView } from "@codemirror/view";

/** Controls, joiners, fillers, marks and embeddings of direction, spaces that do not break (which
 * Python refuses), separators of lines that are none to Python. */
const UNSEEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u00a0\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffc]|[\u{e0000}-\u{e007f}]/gu;

class Mark extends WidgetType {
  constructor(private readonly code: number) {
    super();
  }

  override eq({ code }: Mark): boolean {
    return code === this.code;
  }

  toDOM(): HTMLElement {
    const mark = document.createElement("span");
    mark.className = "cm-unseen";
    mark.textContent = `U+${this.code.toString(16).toUpperCase().padStart(4, "0")}`;
    mark.title = "A character that is not seen, or that turns the direction of others";
    return mark;
  }
}

function marked({ state, visibleRanges }: EditorView) {
  const builder = new RangeSetBuilder<Decoration>();
  for (const { from, to } of visibleRanges)
    for (const { 0: sign, index } of state.sliceDoc(from, to).matchAll(UNSEEN)) {
      const widget = new Mark(sign.codePointAt(0)!);
      const start = from + index;
      builder.add(start, start + sign.length, Decoration.replace({ widget }));
    }
  return builder.finish();
}

export const unseen = ViewPlugin.define(
  (view) => ({
    marks: marked(view),
    update({ docChanged, viewportChanged, view: now }) {
      if (docChanged || viewportChanged) this.marks = marked(now);
    },
  }),
  { decorations: ({ marks }) => marks },
);
