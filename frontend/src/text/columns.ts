/** The columns of a text view, each made for its sheet in steps: a large text's takes longer than
 * somebody who types meanwhile should wait. Until all are made they are in no page. */
import { defaultKeymap } from "@codemirror/commands";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { EditorState, type Extension } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, keymap } from "@codemirror/view";
import type { Artifact } from "../wire";
import { colours } from "./colours";
import { folding, isFolded } from "./folding";
import { languageOf } from "./language";
import { linking } from "./links";
import { meanings } from "./meanings";
import { painted } from "./painting";
import { searching } from "./searching";
import { likeRow, type Sheet, type Side } from "./sheet";
import type { Steps } from "./steps";
import { appearance, column } from "./theme";

export interface Content {
  /** What a screen reader calls the text. */
  label: string;
  after: Artifact;
  before: Artifact | null;
  /** Two columns, or one with both. */
  split: boolean;
  /** Long lines go on below; of two columns they do not, or the rows would part. */
  wrap?: boolean;
}

/** A column: what is drawn, and of which text a blank row of it would be. */
export interface Column {
  view: EditorView;
  sheet: Sheet;
  /** Its lit lines, from 1, the closest to what is chosen first. */
  lit: readonly number[];
}

/** What is done in a column. */
export interface Reactions {
  onLine: (side: Side, line: number, whole: boolean) => void;
  onHover: (side: Side, line: number | null) => void;
  /** What is folded at a row, from 0, is to be shown, or hidden again. */
  onTurn: (row: number, open: boolean) => void;
}

/** A column a sheet: its state, for which its text is read, and then its lines. Where nobody waits for
 * all of them any more, none is left. */
export function* columnsOf(
  content: Content,
  sheets: readonly Sheet[],
  reactions: Reactions,
): Steps<Column> {
  const made: EditorView[] = [];
  let isWhole = false;
  try {
    for (const [at, sheet] of sheets.entries()) {
      const state = stateOf(content, sheets, at, reactions);
      yield null;
      made.push(new EditorView({ state }));
      yield { view: made.at(-1)!, sheet, lit: [] };
    }
    isWhole = true;
  } finally {
    if (!isWhole) for (const view of made) view.destroy();
  }
}

function stateOf(
  content: Content,
  sheets: readonly Sheet[],
  at: number,
  reactions: Reactions,
): EditorState {
  const { label, after } = content;
  const sheet = sheets[at]!;
  const name = sheets.length > 1 ? `${label}, ${["before", "after"][at]}` : label;
  const extensions = [
    own(sheet, reactions),
    reading(name),
    languageOf(after.language),
    meanings(after.language),
    lookOf(content, sheets.length),
    appearance,
    colours,
  ];
  return EditorState.create({ doc: sheet.text, extensions });
}

function lookOf({ wrap }: Content, columns: number): Extension {
  if (columns > 1) return column;
  return wrap ? EditorView.lineWrapping : [];
}

/** What is of this sheet alone: how its lines look, and what is done with them. */
function own(sheet: Sheet, { onLine, onHover, onTurn }: Reactions): Extension {
  return [
    painted(sheet),
    folding(sheet, onTurn),
    linking(
      (at, { whole }) => {
        const line = sheet.lines[at - 1];
        if (line) onLine(line.side, line.line, whole);
      },
      (at) => {
        const line = at === null ? null : sheet.lines[at - 1];
        onHover(line?.side ?? "after", line?.line ?? null);
      },
    ),
    EditorView.updateListener.of(({ selectionSet, state }) => {
      const row = state.doc.lineAt(state.selection.main.head).number - 1;
      if (selectionSet && isFolded(state, row)) onTurn(row, true);
    }),
  ];
}

const reading = (label: string): Extension => [
  drawSelection(),
  highlightActiveLine(),
  highlightSelectionMatches(),
  searching,
  keymap.of([...searchKeymap, ...defaultKeymap]),
  EditorState.readOnly.of(true),
  EditorView.editable.of(false),
  EditorView.contentAttributes.of({
    tabindex: "0",
    "aria-label": label,
    "aria-readonly": "true",
  }),
];

/** Whether a row, from 0, is folded below another that says the same and is lit. */
export function isLitAbove({ sheet, lit }: Column, row: number): boolean {
  const fold = sheet.folds.find(({ first, last }) => first <= row && row <= last);
  const like = fold && likeRow(fold, row);
  return typeof like === "number" && lit.includes(like + 1);
}
