/** Lines that light up, the hues of their kernels, and the line that was chosen. */
import {
  RangeSet,
  type Range,
  StateEffect,
  StateField,
  type EditorState,
  type Extension,
  type Text,
} from "@codemirror/state";
import type { Spot } from "../lib/linemap";
import { Decoration, EditorView, gutter, GutterMarker, gutterLineClass } from "@codemirror/view";

export interface Links {
  /** 1-based lines. */
  lit: readonly number[];
  /** For each line, from the first, the hues of its kernels. */
  hues: readonly (readonly number[])[];
  /** How closely lit lines speak of what is chosen, 0 the closest; blank where all do alike. */
  rank?: ReadonlyMap<number, number>;
  /** Where in a lit line something begins, where not all of the line is meant. */
  spots?: readonly Spot[];
}

/** How a line was chosen. */
export interface Choice {
  /** From 1; null where a key moved the cursor there. */
  column: number | null;
  /** All that the line comes from is meant, as with the Alt key. */
  whole: boolean;
}

export const NO_LINKS: Links = { lit: [], hues: [] };

/** Lines, from 1, that belong to what the pointer is over. */
export const setHovered = StateEffect.define<readonly number[]>();

const hoveredLine = Decoration.line({ class: "cm-hovered" });

const hovered = StateField.define<readonly number[]>({
  create: () => [],
  update: (value, transaction) =>
    transaction.effects.findLast((effect) => effect.is(setHovered))?.value ??
    (transaction.docChanged ? [] : value),
  provide: (field) =>
    EditorView.decorations.compute([field, "doc"], (state) =>
      RangeSet.of(
        starts(state.doc, { lit: state.field(field), hues: [] }).map((at) => hoveredLine.range(at)),
      ),
    ),
});

export const setLinks = StateEffect.define<Links>();

const litLine = Decoration.line({ class: "cm-lit" });

const litSpot = Decoration.mark({ class: "cm-lit-spot" });

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
    EditorView.decorations.compute([field, "doc"], (state) =>
      RangeSet.of(spotsIn(state.doc, state.field(field).spots ?? []), true),
    ),
    gutterLineClass.compute([field, "doc"], (state) =>
      RangeSet.of(starts(state.doc, state.field(field)).map((at) => litNumber.range(at))),
    ),
  ],
});

/** Whether a text is lit like this already. */
export const isLinked = (state: EditorState, wanted: Links): boolean =>
  JSON.stringify(said(state.field(links))) === JSON.stringify(said(wanted));

const said = ({ lit, hues, spots = [] }: Links) => [lit, hues, spots];

/** The word that begins at each spot. */
function spotsIn(doc: Text, spots: readonly Spot[]): Range<Decoration>[] {
  return spots.flatMap(({ line, column }) => {
    if (line > doc.lines) return [];
    const { from, text } = doc.line(line);
    const word = /^[\w.]+|^\S/.exec(text.slice(column - 1))?.[0];
    return word ? litSpot.range(from + column - 1, from + column - 1 + word.length) : [];
  });
}

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
function choosing(onLine: (line: number, how: Choice) => void): Extension {
  return [
    EditorView.updateListener.of(({ transactions, docChanged, state }) => {
      const keyed = transactions.some(
        (t) => t.isUserEvent("select") && !t.isUserEvent("select.pointer"),
      );
      if (!keyed || docChanged) return;
      onLine(state.doc.lineAt(state.selection.main.head).number, { column: null, whole: false });
    }),
    EditorView.domEventHandlers({
      click(event, view) {
        const at = view.posAtCoords({ x: event.clientX, y: event.clientY });
        if (at === null) return;
        const { number, from } = view.state.doc.lineAt(at);
        onLine(number, { column: at - from + 1, whole: event.altKey });
      },
    }),
  ];
}

/** Tells over which line the pointer is, or that it left. */
function hovering(onHover: (line: number | null) => void): Extension {
  let last: number | null = null;
  const tell = (line: number | null) => {
    if (line !== last) onHover((last = line));
  };
  return EditorView.domEventHandlers({
    mousemove(event, view) {
      if (event.buttons > 0) return;
      const at = view.posAtCoords({ x: event.clientX, y: event.clientY });
      tell(at === null ? null : view.state.doc.lineAt(at).number);
    },
    mouseleave: () => tell(null),
  });
}

export function linking(
  onLine: (line: number, how: Choice) => void,
  onHover: (line: number | null) => void = () => {},
): Extension {
  return [links, hovered, hueGutter, choosing(onLine), hovering(onHover)];
}

/** Scrolls `scroller` until a line, from 1, is at a third of its height. */
export function revealLine(view: EditorView, scroller: HTMLElement, line: number): void {
  const block = view.lineBlockAt(view.state.doc.line(line).from);
  const origin = view.documentTop - scroller.getBoundingClientRect().top + scroller.scrollTop;
  scroller.scrollTop = Math.max(0, origin + block.top - scroller.clientHeight / 3);
}

/** Of the lit lines those that speak most closely of what is chosen. */
function closest({ lit, rank = new Map() }: Links): readonly number[] {
  const best = Math.min(...lit.map((line) => rank.get(line) ?? 0));
  return lit.filter((line) => (rank.get(line) ?? 0) === best);
}

/** Where the closest lit lines are, and where the text begins, in what `scroller` scrolls. */
function litBlocks(view: EditorView, scroller: HTMLElement) {
  const lit = closest(view.state.field(links));
  const blocks = starts(view.state.doc, { lit, hues: [] }).map((at) => view.lineBlockAt(at));
  const origin = view.documentTop - scroller.getBoundingClientRect().top + scroller.scrollTop;
  return { blocks, origin };
}

/** Whether one of the closest lit lines is in sight, or would be if `scroller` had another height. */
export function isLitInSight(
  view: EditorView,
  scroller: HTMLElement,
  height = scroller.clientHeight,
): boolean {
  const { blocks, origin } = litBlocks(view, scroller);
  const top = scroller.scrollTop;
  return blocks.some((b) => origin + b.top >= top && origin + b.bottom <= top + height);
}

/** Scrolls `scroller` to the first of the closest lit lines, unless one is on the screen already. */
export function reveal(view: EditorView, scroller: HTMLElement): void {
  const { blocks, origin } = litBlocks(view, scroller);
  const [first] = blocks;
  if (!first || scroller.clientHeight === 0 || isLitInSight(view, scroller)) return;
  scroller.scrollTop = Math.max(0, origin + first.top - scroller.clientHeight / 3);
}
