/** What the editor has beside writing: colours, keys, undoing, search, completion, brackets that close,
 * marks, and names for signs that are not seen. A file of its own. */
import { autocompletion, closeBrackets, closeBracketsKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching, indentOnInput, indentUnit } from "@codemirror/language";
import { lintGutter, setDiagnostics, type Diagnostic } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import type { EditorState, Extension, Text, TransactionSpec } from "@codemirror/state";
import { keymap } from "@codemirror/view";
import type { Mark } from "../lib/diagnostics";
import { colours } from "./colours";
import { spoken } from "./spoken";
import { unseen } from "./unseen";

export const equipment = (doc: Text): Extension => [
  spoken(doc),
  colours,
  indentUnit.of("    "),
  autocompletion({ icons: false }),
  unseen,
  lintGutter(),
  history(),
  indentOnInput(),
  bracketMatching(),
  closeBrackets(),
  highlightSelectionMatches(),
  search({ top: true }),
  keymap.of([
    ...closeBracketsKeymap,
    ...searchKeymap,
    ...historyKeymap,
    ...defaultKeymap,
    indentWithTab,
  ]),
];

/** What puts the marks on their lines, in place of those before. */
export const marking = (state: EditorState, marks: readonly Mark[]): TransactionSpec =>
  setDiagnostics(
    state,
    marks.map((mark) => diagnostic(state.doc, mark)),
  );

function diagnostic(doc: Text, { line, severity, message }: Mark): Diagnostic {
  const { from, to, text } = doc.line(Math.min(Math.max(1, line), doc.lines));
  const indent = text.length - text.trimStart().length;
  return { from: from + indent, to, severity, message };
}
