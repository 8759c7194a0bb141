/**
 * A text to read, or two to compare: what every text pane is made of.
 *
 * Reading needs no keyboard of a phone, so the texts are not editable; the cursor still moves by
 * keys, and moving it chooses lines.
 */
import { defaultKeymap } from "@codemirror/commands";
import { MergeView, uncollapseUnchanged, unifiedMergeView } from "@codemirror/merge";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { EditorState, type Extension } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import type { Artifact } from "../wire";
import { languageOf } from "./language";
import { linking, reveal, setLinks, type Links } from "./links";
import { appearance } from "./theme";

export type Side = "before" | "after";

export interface Content {
  /** What a screen reader calls the text. */
  label: string;
  after: Artifact;
  before: Artifact | null;
  /** Two columns, or one with both. */
  split: boolean;
}

/** The first line, from 0, that comes from the snippet; one above it, for its comment. */
function firstOwnLine(artifact: Artifact): number {
  return Math.max(0, artifact.nodes.findIndex((nodes) => nodes.length > 0) - 1);
}

const DIFF = { collapseUnchanged: { margin: 4, minSize: 8 }, gutter: true, highlightChanges: true };

/** Lights up lines, and unfolds the unchanged lines that hold any of them. */
function light(view: EditorView, links: Links): void {
  const unfold = foldsOver(view, links).map((at) => uncollapseUnchanged.of(at));
  view.dispatch({ effects: [setLinks.of(links), ...unfold] });
}

/** Where the folds begin that hold a lit line: folds are decorations that replace whole blocks. */
function foldsOver({ state }: EditorView, { lit }: Links): number[] {
  const lines = lit.filter((line) => line <= state.doc.lines).map((line) => state.doc.line(line));
  const found = new Set<number>();
  for (const set of state.facet(EditorView.decorations)) {
    if (typeof set === "function") continue;
    for (const { from: at } of lines) {
      set.between(at, at, (from, to, { spec }) => {
        if (spec.block && to > from) found.add(from);
      });
    }
  }
  return [...found];
}

export class Viewer {
  private after: EditorView | null = null;
  private before: EditorView | null = null;
  private merge: MergeView | null = null;
  private kept = 0;
  /** The line that a text is opened at; 0 for its top. */
  private start = 0;

  constructor(
    private readonly parent: HTMLElement,
    private readonly onLine: (side: Side, line: number) => void,
  ) {}

  /** Shows a text in place of the last one, as far down as that was scrolled. */
  show(content: Content): void {
    this.keepScroll();
    this.destroy();
    this.start = content.before ? 0 : firstOwnLine(content.after);
    if (content.before && content.split) this.showSplit(content, content.before);
    else this.showOne(content);
    this.restoreScroll();
  }

  link(after: Links, before: Links): void {
    if (this.after) light(this.after, after);
    if (this.before) light(this.before, before);
  }

  reveal(): void {
    this.measured((after, scroller) => {
      reveal(after, scroller);
      if (this.before) reveal(this.before, scroller);
    });
  }

  /** Acts on the text that is shown now once its lines have been measured: until then a line's
   * place is a guess. */
  private measured(act: (after: EditorView, scroller: HTMLElement) => void): void {
    const { after, scroller } = this;
    const write = () => {
      if (scroller && after === this.after) act(after!, scroller);
    };
    after?.requestMeasure({ read: () => {}, write });
  }

  keepScroll(): void {
    const scroller = this.scroller;
    if (scroller?.clientHeight) this.kept = scroller.scrollTop;
  }

  restoreScroll(): void {
    if (this.kept > 0 || this.start === 0) this.scroller?.scrollTo({ top: this.kept });
    else this.open();
  }

  /** What the snippet became comes before the helpers that stand above it. */
  private open(): void {
    this.measured((view, { clientHeight }) => {
      if (!clientHeight || this.kept > 0) return;
      const { top } = view.lineBlockAt(view.state.doc.line(this.start + 1).from);
      if (top > clientHeight / 2) view.scrollDOM.scrollTo({ top });
    });
  }

  destroy(): void {
    this.merge?.destroy();
    if (!this.merge) this.after?.destroy();
    this.merge = this.after = this.before = null;
  }

  private get scroller(): HTMLElement | null {
    return this.merge?.dom ?? this.after?.scrollDOM ?? null;
  }

  private showOne({ after, before, label }: Content): void {
    const compare = before
      ? unifiedMergeView({ original: before.text, mergeControls: false, ...DIFF })
      : [];
    const state = EditorState.create({
      doc: after.text,
      extensions: [this.reading(after, label, "after"), compare],
    });
    this.after = new EditorView({ state, parent: this.parent });
  }

  private showSplit({ after, label }: Content, before: Artifact): void {
    this.merge = new MergeView({
      a: { doc: before.text, extensions: this.reading(before, `${label}, before`, "before") },
      b: { doc: after.text, extensions: this.reading(after, `${label}, after`, "after") },
      parent: this.parent,
      ...DIFF,
    });
    this.before = this.merge.a;
    this.after = this.merge.b;
  }

  private reading(artifact: Artifact, label: string, side: Side): Extension {
    return [
      lineNumbers(),
      linking((line) => this.onLine(side, line)),
      drawSelection(),
      highlightActiveLine(),
      highlightSelectionMatches(),
      search({ top: true }),
      keymap.of([...searchKeymap, ...defaultKeymap]),
      EditorState.readOnly.of(true),
      EditorView.editable.of(false),
      EditorView.contentAttributes.of({
        tabindex: "0",
        "aria-label": label,
        "aria-readonly": "true",
      }),
      languageOf(artifact.language),
      appearance,
    ];
  }
}
