/** How every text looks: the tokens of styles/tokens.css, so that both themes need one sheet. What its
 * words are coloured by comes with its language: colours.ts. */
import type { Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";

const look = EditorView.theme({
  "&": {
    height: "100%",
    color: "var(--ink)",
    backgroundColor: "var(--paper)",
    fontSize: "var(--mono-size)",
  },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "20px", overflow: "auto" },
  ".cm-content": { padding: "4px 0", caretColor: "var(--accent)" },
  ".cm-line": { padding: "0 12px 0 8px" },
  ".cm-cursor": { borderLeftColor: "var(--accent)", borderLeftWidth: "2px" },
  ".cm-gutters": { backgroundColor: "var(--paper)", color: "var(--ink-3)", border: "none" },
  ".cm-lineNumbers .cm-gutterElement": { padding: "0 8px 0 8px", minWidth: "32px" },
  ".cm-activeLine": { backgroundColor: "transparent" },
  "&.cm-focused .cm-activeLine": { backgroundColor: "var(--hover)" },
  ".cm-activeLineGutter": { backgroundColor: "transparent" },
  "&.cm-focused .cm-activeLineGutter": { color: "var(--ink)" },
  ".cm-line.cm-lit": { backgroundColor: "var(--lit)", boxShadow: "inset 2px 0 var(--accent)" },
  ".cm-line.cm-hovered:not(.cm-lit)": { backgroundColor: "var(--match)" },
  "&.cm-lineWrapping .cm-line, .cm-lineWrapping .cm-line": {
    paddingLeft: "calc(8px + 6ch)",
    textIndent: "-6ch",
  },
  ".cm-lit-spot": { boxShadow: "inset 0 -2px var(--accent)" },
  ".cm-gutterElement.cm-lit-number": { color: "var(--ink)" },
  ".cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground":
    {
      backgroundColor: "var(--select)",
    },
  ".cm-selectionMatch": { backgroundColor: "var(--match)" },
  ".cm-matchingBracket, &.cm-focused .cm-matchingBracket": {
    backgroundColor: "var(--match)",
    outline: "1px solid var(--line-2)",
  },
  ".cm-panels": { backgroundColor: "var(--chrome)", color: "var(--ink)" },
  ".cm-panels.cm-panels-top": { borderBottom: "1px solid var(--line)" },
  ".cm-textfield": {
    backgroundColor: "var(--paper)",
    border: "1px solid var(--line-2)",
    fontSize: "13px",
  },
  ".cm-button": {
    backgroundImage: "none",
    backgroundColor: "var(--paper)",
    border: "1px solid var(--line-2)",
  },
  ".cm-tooltip": {
    backgroundColor: "var(--raised)",
    color: "var(--ink)",
    border: "1px solid var(--line-2)",
    borderRadius: "4px",
    boxShadow: "var(--shadow)",
  },
  ".text-search": { display: "flex", alignItems: "center", gap: "4px", padding: "4px 8px" },
  ".text-search input": { flex: "0 1 220px", minWidth: "0" },
  ".text-meaning": {
    maxWidth: "420px",
    padding: "4px 8px",
    fontFamily: "var(--text)",
    fontSize: "13px",
    lineHeight: "18px",
  },
  ".cm-unseen": {
    padding: "0 2px",
    border: "1px solid var(--bad)",
    borderRadius: "2px",
    color: "var(--bad)",
    fontSize: "10px",
  },
  // A line is as wide as its text, so that nothing else would wrap it.
  ".cm-placeholder": { maxWidth: "260px", color: "var(--ink-3)", whiteSpace: "normal" },
  ".cm-hues": { width: "6px" },
  ".cm-hues .cm-gutterElement": { display: "flex", padding: "0" },
  ".cm-hue": { flex: "1", backgroundColor: "var(--hue)" },
  ".cm-diagnostic": {
    fontFamily: "var(--text)",
    fontSize: "13px",
    padding: "4px 8px",
    whiteSpace: "pre-wrap",
  },
  ".cm-gutter-lint": { width: "12px" },
  ".cm-gutter-lint .cm-gutterElement": { padding: "0" },
  ".cm-lint-marker": {
    content: "''",
    width: "8px",
    height: "8px",
    margin: "6px 2px",
    borderRadius: "50%",
  },
  ".cm-lint-marker-error": { backgroundColor: "var(--bad)" },
  ".cm-lint-marker-warning": { backgroundColor: "var(--warn)" },
  ".cm-lint-marker-info": { backgroundColor: "var(--ink-3)" },
  ".cm-lintRange": { backgroundImage: "none", paddingBottom: "0" },
  ".cm-lintRange-error": {
    textDecoration: "underline wavy 1px var(--bad)",
    textUnderlineOffset: "3px",
  },
  ".cm-lintRange-warning": {
    textDecoration: "underline wavy 1px var(--warn)",
    textUnderlineOffset: "3px",
  },
  ".cm-diagnostic-error": { borderLeftColor: "var(--bad)" },
  ".cm-diagnostic-warning": { borderLeftColor: "var(--warn)" },
  ".cm-diagnostic-info": { borderLeftColor: "var(--ink-3)" },
});

const diff = EditorView.theme({
  ".cm-line.cm-gone": { backgroundColor: "var(--gone-soft)" },
  ".cm-line.cm-came": { backgroundColor: "var(--came-soft)" },
  ".cm-gone .cm-word": { backgroundColor: "var(--gone)" },
  ".cm-came .cm-word": { backgroundColor: "var(--came)" },
  ".cm-line.cm-moved": { backgroundColor: "var(--chrome)", fontStyle: "italic" },
  ".cm-line.cm-blank": { backgroundColor: "var(--chrome)" },
  ".cm-line.cm-changedLine.cm-lit": { backgroundColor: "var(--lit)" },
  ".cm-signs": { width: "14px", textAlign: "center" },
  ".cm-sign-gone": { color: "var(--bad)" },
  ".cm-sign-came": { color: "var(--good)" },
  ".cm-collapsedLines, .cm-openLines": {
    display: "block",
    width: "100%",
    height: "24px",
    color: "var(--ink-2)",
    background: "var(--chrome)",
    border: "none",
    borderRadius: "0",
    padding: "0 12px",
    fontFamily: "var(--text)",
    fontSize: "12px",
    cursor: "pointer",
  },
  ".cm-openLines": { color: "var(--ink-3)" },
});

/** One of two columns: as high as its text, for they are scrolled as one. */
export const column: Extension = EditorView.theme({
  "&": { height: "auto", minWidth: "0" },
  ".cm-scroller": { overflowY: "hidden" },
});

export const appearance: Extension = [look, diff];
