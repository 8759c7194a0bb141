/**
 * A text to read, or two to compare: what every text pane is made of.
 *
 * Reading needs no keyboard of a phone, so the texts are not editable; the cursor still moves by
 * keys, and moving it chooses lines. Two texts are one column whose lines are of either, or two
 * columns with as many rows; lines are spoken of by the numbers that they have in their own text.
 */
import { openSearchPanel } from "@codemirror/search";
import type { EditorView } from "@codemirror/view";
import { closestFirst } from "../lib/linemap";
import type { Artifact } from "../wire";
import { columnsOf, isLitAbove, type Column, type Content } from "./columns";
import { isFolded, turn } from "./folding";
import { reveal, revealLine, setHovered, setLinks, type Links } from "./links";
import type { Sheet, Side } from "./sheet";
import { sheetsFor } from "./sheets";
import { SidewaysBar } from "./sideways";
import { atOnce, inTasks, task } from "./steps";

export type { Content, Side };

/** What a person does in a text. */
export interface Actions {
  /** A line was chosen; `whole`: all that it comes from is meant. */
  onLine: (side: Side, line: number, whole: boolean) => void;
  /** The pointer is over a line, or over none. */
  onHover?: (side: Side, line: number | null) => void;
  /** A large text stands there now, some time after it was to be shown. */
  onDrawn?: () => void;
}

/** The first line, from 0, that comes from the snippet; one above it, for its comment. */
function firstOwnLine(artifact: Artifact): number {
  return Math.max(0, artifact.nodes.findIndex((nodes) => nodes.length > 0) - 1);
}

/** The links of a sheet's own lines, from those of the texts that they are of. */
function ofSheet({ lines }: Sheet, links: Record<Side, Links>): Links {
  const lit = { before: new Set(links.before.lit), after: new Set(links.after.lit) };
  const rows = lines.flatMap((line, at) =>
    line && lit[line.side].has(line.line) ? [{ row: at + 1, ...line }] : [],
  );
  return {
    lit: rows.map(({ row }) => row),
    hues: lines.map((line) => (line ? (links[line.side].hues[line.line - 1] ?? []) : [])),
    rank: new Map(rows.map(({ row, side, line }) => [row, links[side].rank?.get(line) ?? 0])),
  };
}

export class Viewer {
  private columns: readonly Column[] = [];
  private frame: HTMLElement | null = null;
  private bars: readonly SidewaysBar[] = [];
  private kept = 0;
  /** The line that a text is opened at; 0 for its top. */
  private start = 0;
  /** The sheets that are on their way; the last text stands until they are here. */
  private coming: Promise<readonly Sheet[]> | null = null;

  constructor(
    private readonly parent: HTMLElement,
    private readonly actions: Actions,
  ) {}

  /** Shows a text in place of the last one, as far down as that was scrolled. */
  show(content: Content): void {
    const { after, before, split } = content;
    const { language, text } = after;
    const made = sheetsFor({ after: text, before: before?.text ?? null, language, split });
    if (made instanceof Promise) {
      this.coming = made;
      void this.showLater(content, made);
      return;
    }
    this.coming = null;
    this.draw(content, atOnce(this.columnsOf(content, made)));
  }

  /** A large text is made in tasks between which keys are heard, and put into the page as a whole. The
   * browser's frame would lay it out and measure it together with all that it draws of the keys. */
  private async showLater(content: Content, made: Promise<readonly Sheet[]>): Promise<void> {
    const isWanted = () => this.coming === made;
    const columns = await inTasks(this.columnsOf(content, await made), isWanted);
    if (columns === null) return;
    this.coming = null;
    this.draw(content, columns);
    void this.scroller?.scrollHeight;
    await task();
    if (columns !== this.columns) return;
    for (const { view } of columns) void view.contentHeight;
    this.actions.onDrawn?.();
  }

  private columnsOf(content: Content, sheets: readonly Sheet[]) {
    return columnsOf(content, sheets, {
      onLine: (...line) => this.actions.onLine(...line),
      onHover: (...line) => this.actions.onHover?.(...line),
      onTurn: (row, open) => this.turn(row, open),
    });
  }

  private draw(content: Content, columns: readonly Column[]): void {
    this.keepScroll();
    this.clear();
    this.start = content.before ? 0 : firstOwnLine(content.after);
    this.columns = columns;
    this.hold(columns.length > 1).append(...columns.map(({ view }) => view.dom));
    this.bars = this.frame ? columns.map(({ view }) => new SidewaysBar(view)) : [];
    this.frame?.append(...this.bars.map(({ dom }) => dom));
    for (const { view } of columns) view.requestMeasure();
    this.restoreScroll();
  }

  /** What the columns are put into: two have a frame, in which they are scrolled as one. */
  private hold(areTwo: boolean): HTMLElement {
    if (!areTwo) return this.parent;
    this.frame = document.createElement("div");
    this.frame.className = "text-columns";
    this.parent.append(this.frame);
    return this.frame;
  }

  /** Lights up lines, and unfolds what holds any of them, but for equal blocks whose first, which is
   * in sight, is lit as well. */
  link(after: Links, before: Links): void {
    if (this.coming) return;
    for (const each of this.columns) {
      const { view, sheet } = each;
      const links = ofSheet(sheet, { after, before });
      each.lit = closestFirst(links.lit, links.rank);
      view.dispatch({ effects: setLinks.of(links) });
      for (const line of links.lit)
        if (isFolded(view.state, line - 1) && !isLitAbove(each, line - 1))
          this.turn(line - 1, true);
    }
  }

  /** Lights lines up faintly, as long as the pointer is where it is. */
  hover(after: readonly number[], before: readonly number[]): void {
    if (this.coming) return;
    const links = { after: { lit: after, hues: [] }, before: { lit: before, hues: [] } };
    for (const { view, sheet } of this.columns)
      view.dispatch({ effects: setHovered.of(ofSheet(sheet, links).lit) });
  }

  /** How many lines are lit, and which of them, from 0, the cursor is at. */
  get walk(): { count: number; at: number } {
    const { lit, view } = this.lit;
    const cursor = view ? view.state.doc.lineAt(view.state.selection.main.head).number : 0;
    return { count: lit.length, at: Math.max(0, lit.indexOf(cursor)) };
  }

  /** Brings the lit line at a place among them into sight. */
  goTo(at: number): void {
    const { lit, view } = this.lit;
    const line = lit[at];
    if (view && line !== undefined && this.scroller) revealLine(view, this.scroller, line);
  }

  search(): void {
    const view = this.columns.at(-1)?.view;
    if (view) openSearchPanel(view);
  }

  /** The lit lines, the closest first, of the text after, or where it has none of that before. */
  private get lit(): { lit: readonly number[]; view: EditorView | null } {
    const found = this.columns.toReversed().find(({ lit }) => lit.length > 0);
    return found ?? { lit: [], view: null };
  }

  reveal(): void {
    this.measured((columns, scroller) => {
      for (const { view } of columns.toReversed()) reveal(view, scroller);
    });
  }

  /** Acts on the text that is shown now once its lines have been measured: until then a line's
   * place is a guess. */
  private measured(act: (columns: readonly Column[], scroller: HTMLElement) => void): void {
    const { columns, scroller } = this;
    const write = () => {
      if (scroller && columns === this.columns) act(columns, scroller);
    };
    columns.at(-1)?.view.requestMeasure({ read: () => {}, write });
  }

  keepScroll(): void {
    const scroller = this.scroller;
    if (scroller?.clientHeight) this.kept = scroller.scrollTop;
  }

  restoreScroll(): void {
    if (this.kept > 0 || this.start === 0) this.scroller?.scrollTo({ top: this.kept });
    else this.skipHelpers();
  }

  /** What the snippet became comes before the helpers that stand above it. */
  private skipHelpers(): void {
    this.measured(([first], { clientHeight }) => {
      if (!first || !clientHeight || this.kept > 0) return;
      const { view } = first;
      const { top } = view.lineBlockAt(view.state.doc.line(this.start + 1).from);
      if (top > clientHeight / 2) view.scrollDOM.scrollTo({ top });
    });
  }

  destroy(): void {
    this.coming = null;
    this.clear();
  }

  private clear(): void {
    for (const bar of this.bars) bar.destroy();
    for (const { view } of this.columns) view.destroy();
    this.frame?.remove();
    this.bars = [];
    this.columns = [];
    this.frame = null;
  }

  /** Two columns are scrolled as one. */
  private get scroller(): HTMLElement | null {
    return this.frame ?? this.columns[0]?.view.scrollDOM ?? null;
  }

  /** Shows in every column what is folded at a row, or hides it again. */
  private turn(row: number, open: boolean): void {
    for (const { view } of this.columns) view.dispatch({ effects: turn.of({ row, open }) });
  }
}
