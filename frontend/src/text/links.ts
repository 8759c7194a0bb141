/** Lines that light up, the hues of their kernels, and the line that was chosen. */
import { RangeSet, StateEffect, StateField, type Extension, type Text } from "@codemirror/state";
import { Decoration, EditorView, gutter, GutterMarker, gutterLineClass } from "@codemirror/view";

export interface Links {
  /** 1-based lines. */
  lit: readonly number[];
  /** For each line, from the first, the hues of its kernels. */
  hues: readonly (readonly number[])[];
}

export const NO_LINKS: Links = { lit: [], hues: [] };

export const setLinks = StateEffect.define<Links>();

const litLine = Decoration.line({ class: "cm-lit" });

const litNumber = new (class extends GutterMarker {
  override elementClass = "cm-lit-number";
})();

class HueMarker extends GutterMarker {
  constructor(private readonly hues: readonly number[]) {
    super();
  }

  override eq(other: HueMarker): boolean {
    return this.hues.join() === other.hues.join();
  }

  override toDOM(): Node {
    const marks = document.createDocumentFragment();
    for (const hue of this.hues) {
      const mark = document.createElement("span");
      mark.className = `cm-hue hue-${hue}`;
      marks.append(mark);
    }
    return marks;
  }
}

const links = StateField.define<Links>({
  create: () => NO_LINKS,
  update: (value, transaction) =>
    transaction.effects.findLast((effect) => effect.is(setLinks))?.value ??
    (transaction.docChanged ? NO_LINKS : value),
  provide: (field) => [
    EditorView.decorations.compute([field, "doc"], (state) =>
      RangeSet.of(starts(state.doc, state.field(field)).map((at) => litLine.range(at))),
    ),
    gutterLineClass.compute([field, "doc"], (state) =>
      RangeSet.of(starts(state.doc, state.field(field)).map((at) => litNumber.range(at))),
    ),
  ],
});

/** Where the lit lines begin; a map may speak of lines that a text no longer has. */
function starts(doc: Text, { lit }: Links): number[] {
  return lit.filter((line) => line <= doc.lines).map((line) => doc.line(line).from);
}

const hueGutter = gutter({
  class: "cm-hues",
  lineMarker(view, block) {
    const hues = view.state.field(links).hues[view.state.doc.lineAt(block.from).number - 1];
    return hues && hues.length > 0 ? new HueMarker(hues) : null;
  },
  lineMarkerChange: ({ transactions }) =>
    transactions.some((transaction) => transaction.effects.some((effect) => effect.is(setLinks))),
});

/** Calls `onLine` with the line that a click or the keyboard has moved to. */
function choosing(onLine: (line: number) => void): Extension {
  return [
    EditorView.updateListener.of(({ transactions, docChanged, state }) => {
      const keyed = transactions.some(
        (t) => t.isUserEvent("select") && !t.isUserEvent("select.pointer"),
      );
      if (keyed && !docChanged) onLine(state.doc.lineAt(state.selection.main.head).number);
    }),
    EditorView.domEventHandlers({
      click(event, view) {
        const at = view.posAtCoords({ x: event.clientX, y: event.clientY });
        if (at !== null) onLine(view.state.doc.lineAt(at).number);
      },
    }),
  ];
}

export function linking(onLine: (line: number) => void): Extension {
  return [links, hueGutter, choosing(onLine)];
}

/** Scrolls `scroller` to the first lit line, unless one is on the screen already. */
export function reveal(view: EditorView, scroller: HTMLElement): void {
  const { lit } = view.state.field(links);
  if (lit.length === 0 || scroller.clientHeight === 0) return;
  const blocks = starts(view.state.doc, { lit, hues: [] }).map((at) => view.lineBlockAt(at));
  const origin = view.documentTop - scroller.getBoundingClientRect().top + scroller.scrollTop;
  const top = scroller.scrollTop;
  const seen = (b: { top: number; bottom: number }) =>
    origin + b.top >= top && origin + b.bottom <= top + scroller.clientHeight;
  const first = blocks[0];
  if (!first || blocks.some(seen)) return;
  scroller.scrollTop = Math.max(0, origin + first.top - scroller.clientHeight / 3);
}
